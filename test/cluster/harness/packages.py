"""Debian packages: which version of one is installed."""
import subprocess
from functools import cache


@cache
def debian_version(package: str) -> str:
    query = subprocess.run(["dpkg-query", "--show", "--showformat=${Version}", package], capture_output=True, text=True)
    return query.stdout or "not installed"
