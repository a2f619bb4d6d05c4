"""A long-running process of the cluster: started in the namespace, remembered by a pid file, stopped by its pid."""
import os
import signal
import subprocess
import time
from pathlib import Path

from harness import namespace
from harness.settings import RUN, STATE, SYSTEM_PATH


def start_time(pid: int) -> str | None:
    """The kernel's start time of a live process: together with the pid it names a process for good."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else fields[19]


class Daemon:
    def __init__(self, name: str, state: Path = STATE):
        self.log = state / "log" / f"{name}.log"
        self._pid_file = state / "run" / f"{name}.pid"

    def pid(self) -> int | None:
        """The process that start() made, if it still lives. A reused pid is not it."""
        try:
            pid, started = self._pid_file.read_text().split()
        except (OSError, ValueError):
            return None
        return int(pid) if start_time(int(pid)) == started else None

    def start(self, argv: list[str], env: dict[str, str]) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self._pid_file.parent.mkdir(parents=True, exist_ok=True)
        # Nothing of the caller's environment reaches a daemon: a proxy setting or a PYTHONPATH would change it.
        environment = {"PATH": SYSTEM_PATH, "HOME": str(RUN), "LC_ALL": "C.UTF-8", **env}
        with open(self.log, "ab") as log:
            # A session of its own: the daemon outlives this program, and its process group can be stopped as one.
            process = subprocess.Popen([*namespace.ENTER, *argv], env=environment, stdin=subprocess.DEVNULL,
                                       stdout=log, stderr=log, start_new_session=True, cwd="/")
        started = start_time(process.pid)
        self._pid_file.write_text(f"{process.pid} {started}")

    def remembered(self) -> bool:
        """Whether it was started and not stopped since; it may have died meanwhile."""
        return self._pid_file.exists()

    def stop(self, seconds: float = 15) -> None:
        pid = self.pid()
        if pid is not None:
            os.killpg(pid, signal.SIGTERM)
            deadline = time.monotonic() + seconds
            while self.pid() and time.monotonic() < deadline:
                _reap(pid)
                time.sleep(0.05)
        self.end_leftovers()
        self._pid_file.unlink(missing_ok=True)

    def end_leftovers(self) -> None:
        """Ends what is left of its process group. The workers of a killed daemon would keep its port, or report in its place."""
        try:
            leader = int(self._pid_file.read_text().split()[0])
        except (OSError, ValueError, IndexError):
            return
        # The group's number may have been given to others by now: only who lives in our namespace is ours to end.
        for pid in _group(leader):
            if namespace.contains(pid):
                os.kill(pid, signal.SIGKILL)

    def last_lines(self, count: int = 12) -> str:
        try:
            text = self.log.read_text(errors="replace")
        except OSError:
            return "(no log)"
        return "\n".join(text.splitlines()[-count:])

    def rss_kib(self) -> int:
        """Resident memory of the whole process group: some services fork workers."""
        leader = self.pid()
        return sum(rss_kib(pid) for pid in _group(leader)) if leader else 0


def _reap(pid: int) -> None:
    """Collects the process if it is our own child, which would else stay a zombie until we end."""
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        pass


def _group(leader: int) -> list[int]:
    members = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if os.getpgid(int(entry.name)) == leader:
                    members.append(int(entry.name))
            except ProcessLookupError:
                pass
    return members


def rss_kib(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0
