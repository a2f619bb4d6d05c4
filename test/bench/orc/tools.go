//go:build tools

package tools

import _ "github.com/k-orc/openstack-resource-controller/v2/cmd/manager"
