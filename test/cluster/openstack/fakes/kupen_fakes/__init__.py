"""What stands behind the OpenStack APIs in the test cloud, in place of hypervisors, switches, disks and balancers."""
