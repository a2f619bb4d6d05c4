"""Brings up real Kubernetes, Crossplane and OpenStack as plain processes in a network namespace of their own."""
