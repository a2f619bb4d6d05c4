"""Commands that run inside the cluster's network namespace."""
import os
import subprocess

from harness import namespace
from harness.settings import KUBECONFIG, SYSTEM_PATH


def inside(argv: list[str], seconds: float = 120, check: bool = True, stdin: str | None = None,
           env: dict[str, str] | None = None) -> subprocess.CompletedProcess:
    """Runs argv in the namespace and returns its output; a failure's message ends with what it printed."""
    environment = {"PATH": SYSTEM_PATH, "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C.UTF-8",
                   "KUBECONFIG": str(KUBECONFIG), **(env or {})}
    result = subprocess.run([*namespace.ENTER, *argv], capture_output=True, text=True, timeout=seconds, input=stdin,
                            env=environment)
    if check and result.returncode != 0:
        raise RuntimeError(f"{' '.join(argv[:4])} … exited {result.returncode}: {(result.stderr or result.stdout).strip()}")
    return result


def succeeds(argv: list[str], seconds: float = 10) -> bool:
    try:
        return inside(argv, seconds, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def answers(url: str, *curl_options: str) -> bool:
    """Whether an HTTP service says that it is well. -f: one that answers 500 to everything is not."""
    return succeeds(["curl", "-sf", "-o", "/dev/null", "--max-time", "5", *curl_options, url])
