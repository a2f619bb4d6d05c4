"""Programs that run in the cluster's namespace and end, and questions to the services in there."""
import os
import signal
import subprocess
from pathlib import Path

from harness import namespace
from harness.part import PartFailed
from harness.settings import LOGS, RUN, SYSTEM_PATH


def run(log_name: str, *commands: list[str], env: dict[str, str]) -> None:
    """Runs commands one after the other, with their output in a log of that name."""
    LOGS.mkdir(parents=True, exist_ok=True)
    log_file = LOGS / f"{log_name}.log"
    environment = {"PATH": SYSTEM_PATH, "HOME": str(RUN), "LC_ALL": "C.UTF-8", **env}
    for command in commands:
        with open(log_file, "ab") as log:
            code = subprocess.run([*namespace.ENTER, *command], env=environment, stdin=subprocess.DEVNULL,
                                  stdout=log, stderr=log, cwd="/").returncode
        if code:
            last_lines = "\n".join(log_file.read_text(errors="replace").splitlines()[-12:])
            raise PartFailed(f"{command} ended with {code}; the last lines of {log_file}:\n{last_lines}")


def answers(url: str) -> bool:
    # --fail: a service that says 500 to everything is not up.
    curl = ["curl", "--silent", "--fail", "--output", "/dev/null", "--max-time", "5", "--noproxy", "*",
            # By which openstack_requests knows these requests.
            "--user-agent", "kupenstack-harness", url]
    return subprocess.run([*namespace.ENTER, *curl]).returncode == 0


def listens(port: int) -> bool:
    query = ["ss", "--no-header", "--listening", "--tcp", "--numeric", f"sport = :{port}"]
    return bool(subprocess.run([*namespace.ENTER, *query], check=True, capture_output=True).stdout)


def end_leftovers(name: str) -> None:
    """Ends the workers of a daemon that was killed itself. They would keep its port, or report in its place."""
    try:
        leader, started = (RUN / f"{name}.pid").read_text().split()
    except (OSError, ValueError):
        return
    try:
        its_start = Path(f"/proc/{leader}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        its_start = started
    # The kernel gives no new process a number that is still a group's. So if there is no such process, or if it is
    # the daemon that nobody has waited for, then the group is the daemon's.
    if its_start == started:
        try:
            os.killpg(int(leader), signal.SIGKILL)
        except ProcessLookupError:
            pass
