"""Commands that run inside the cluster's network namespace, and questions to what listens there."""
import subprocess

from harness import namespace
from harness.part import PartFailed
from harness.settings import KUBECONFIG, LOGS, RUN, SYSTEM_PATH

# By which openstack_requests knows the harness's own requests.
USER_AGENT = "kupenstack-harness"


def _environment(env: dict[str, str] | None) -> dict[str, str]:
    return {"PATH": SYSTEM_PATH, "HOME": str(RUN), "LC_ALL": "C.UTF-8", "KUBECONFIG": str(KUBECONFIG), **(env or {})}


def inside(argv: list[str], seconds: float = 120, check: bool = True) -> subprocess.CompletedProcess:
    """Runs a command and returns its output; a failure's message ends with what it printed."""
    result = subprocess.run([*namespace.ENTER, *argv], capture_output=True, text=True, timeout=seconds, env=_environment(None))
    if check and result.returncode != 0:
        raise PartFailed(f"{' '.join(argv[:4])} … ended with {result.returncode}: {(result.stderr or result.stdout).strip()}")
    return result


def logged(log_name: str, *commands: list[str], env: dict[str, str] | None = None, seconds: float = 600) -> None:
    """Runs commands one after the other, with their output in a log of that name; each may take that long."""
    log_file = LOGS / f"{log_name}.log"
    log_file.parent.mkdir(parents=True, exist_ok=True)
    for command in commands:
        with open(log_file, "ab") as log:
            code = subprocess.run([*namespace.ENTER, *command], env=_environment(env), stdin=subprocess.DEVNULL,
                                  stdout=log, stderr=log, cwd="/", timeout=seconds).returncode
        if code:
            last_lines = "\n".join(log_file.read_text(errors="replace").splitlines()[-12:])
            raise PartFailed(f"{' '.join(command[:4])} … ended with {code}; the last lines of {log_file}:\n{last_lines}")


def succeeds(argv: list[str], seconds: float = 10) -> bool:
    try:
        return inside(argv, seconds, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def answers(url: str, *curl_options: str) -> bool:
    """Whether an HTTP service says that it is well. --fail: one that answers 500 to everything is not."""
    return succeeds(["curl", "--silent", "--fail", "--output", "/dev/null", "--max-time", "5", "--noproxy", "*",
                     "--user-agent", USER_AGENT, *curl_options, url])


def listens(port: int) -> bool:
    return bool(inside(["ss", "--no-header", "--listening", "--tcp", "--numeric", f"sport = :{port}"]).stdout)
