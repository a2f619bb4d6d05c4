"""A controller that is measured: a process, with what the kernel says of it."""
import os
import subprocess
from pathlib import Path

from harness.daemon import rss_kib
from harness.settings import LOGS

_TICKS = os.sysconf("SC_CLK_TCK")
_PATIENCE = 30


class Controller:
    """Runs until the end of the with-block."""

    def __init__(self, name: str, argv: list[str | Path], env: dict[str, str] | None = None):
        self.log = LOGS / f"{name}.log"
        with open(self.log, "wb") as log:
            self._process = subprocess.Popen(argv, env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL, stdout=log,
                                             stderr=log, cwd="/")

    def __enter__(self) -> "Controller":
        return self

    def __exit__(self, *_) -> None:
        self._process.terminate()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def check(self) -> None:
        if self._process.poll() is not None:
            last = self.log.read_text(errors="replace").splitlines()[-12:]
            raise RuntimeError("\n".join([f"it ended by itself; the last lines of {self.log}:", *last]))

    def cpu_seconds(self) -> float:
        """User and system time so far, of all threads."""
        self.check()
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def rss_megabytes(self) -> float:
        self.check()
        return rss_kib(self._process.pid) * 1024 / 1e6

    def peak_megabytes(self) -> float:
        self.check()
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024 / 1e6
