"""What the provider costs, measured beside a peer on one API server and one simulated cloud; see docs/performance.md."""
