"""A part is one thing that `cluster up` makes true: a service that runs, or a step that is done.

Parts name the parts they need; `bring_up` starts each as soon as those are up, all others beside it.
"""
import subprocess
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from harness.daemon import Daemon
from harness.progress import Progress


class PartFailed(Exception):
    """Why a part is not up, in words for the person who asked for it."""


# Set when the person at the keyboard has had enough: nothing new is started, and nobody waits any longer.
_interrupted = threading.Event()


class NotStarted(PartFailed):
    """A part that was never tried, because one that it needs failed."""


def wait_until(condition: Callable[[], bool], seconds: float, failed: Callable[[], str | None] = lambda: None) -> None:
    """Returns once condition() is true; raises PartFailed after `seconds`, or as soon as failed() gives a reason."""
    deadline = time.monotonic() + seconds
    pause = 0.05
    while True:
        problem = "interrupted" if _interrupted.is_set() else failed()
        if problem:
            raise PartFailed(problem)
        if condition():
            return
        if time.monotonic() > deadline:
            raise PartFailed(f"not ready after {seconds:.0f} s")
        time.sleep(pause)
        pause = min(pause * 1.5, 0.5)


def as_part_failed(problem: Exception) -> PartFailed:
    """Any error, with what a program that failed had to say."""
    if isinstance(problem, PartFailed):
        return problem
    text = f"{type(problem).__name__}: {problem}"
    if isinstance(problem, (subprocess.CalledProcessError, subprocess.TimeoutExpired)):
        said = problem.stderr or problem.stdout or b""
        text += "\n" + (said if isinstance(said, str) else said.decode(errors="replace")).strip()[-2000:]
    return PartFailed(text)


@dataclass
class Part:
    name: str
    group: str
    needs: tuple[str, ...] = ()

    def up(self) -> bool:
        """Makes the part true. Returns whether there was anything to do."""
        raise NotImplementedError

    def down(self) -> None:
        """Ends what up() left running."""


@dataclass
class Step(Part):
    """Something to be done once: `done` says whether it already is."""
    done: Callable[[], bool] = lambda: False
    run: Callable[[], None] = lambda: None

    def up(self) -> bool:
        if self.done():
            return False
        self.run()
        return True


@dataclass
class Service(Part):
    """A daemon with the question that tells whether it serves."""
    version: Callable[[], str] = lambda: ""
    argv: Callable[[], list[str]] = lambda: []
    env: dict[str, str] = field(default_factory=dict)
    ready: Callable[[], bool] = lambda: True
    prepare: Callable[[], None] = lambda: None
    seconds: float = 60
    stop_seconds: float = 15

    def __post_init__(self):
        self.daemon = Daemon(self.name)

    def up(self) -> bool:
        started = False
        if not self.daemon.pid():
            self.daemon.end_leftovers()
            self.prepare()
            self.daemon.start(self.argv(), self.env)
            started = True
        try:
            wait_until(self.ready, self.seconds, failed=self._died)
        except PartFailed as problem:
            raise PartFailed(f"{problem}; the last lines of {self.daemon.log}:\n{self.daemon.last_lines()}") from None
        return started

    def down(self) -> None:
        self.daemon.stop(self.stop_seconds)

    def state(self) -> str:
        if not self.daemon.pid():
            return "stopped"
        return "ready" if self.ready() else "not ready"

    def _died(self) -> str | None:
        return None if self.daemon.pid() else "it ended by itself"


def closure(parts: dict[str, Part], wanted: Iterable[str]) -> list[Part]:
    """The wanted parts and all that they need, each after what it needs."""
    ordered: dict[str, Part] = {}

    def visit(name: str) -> None:
        if name not in ordered:
            for need in parts[name].needs:
                visit(need)
            ordered[name] = parts[name]

    for name in wanted:
        visit(name)
    return list(ordered.values())


def bring_up(parts: list[Part]) -> dict[str, PartFailed]:
    """Brings up parts (ordered as by closure) side by side. Returns the failures by part."""
    progress = Progress(len(parts))
    futures: dict[str, Future] = {}

    def one(part: Part) -> None:
        for need in part.needs:
            if futures[need].exception():
                raise NotStarted(f"not started: it needs {need}")
        if _interrupted.is_set():
            raise NotStarted("interrupted")
        progress.begin(part.name)
        try:
            changed = part.up()
        except Exception as problem:
            progress.end(part.name, "FAILED")
            raise as_part_failed(problem)
        progress.end(part.name, "up", quiet=not changed)

    with progress.heartbeat(), ThreadPoolExecutor(max_workers=max(len(parts), 1)) as pool:
        for part in parts:
            futures[part.name] = pool.submit(one, part)
        try:
            for future in futures.values():
                future.exception()
        except KeyboardInterrupt:
            _interrupted.set()
            raise
    return {name: future.exception() for name, future in futures.items() if future.exception()}
