//go:build tools

package tools

import (
	_ "helm.sh/helm/v3/cmd/helm"
	_ "github.com/crossplane/cli/v2/cmd/crossplane"
	_ "github.com/crossplane/crossplane/v2/cmd/crossplane"
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
	_ "k8s.io/kubernetes/cmd/kube-proxy"
	_ "k8s.io/kubernetes/cmd/kube-scheduler"
	_ "k8s.io/kubernetes/cmd/kubectl"
	_ "k8s.io/kubernetes/cmd/kubelet"
)
