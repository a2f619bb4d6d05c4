"""What is going on, for a person who waits: one line per event with a clock, and a heartbeat in between."""
import os
import sys
import threading
import time
from contextlib import contextmanager

# A caller that has its own clock (make test) hands it down, so that all lines of one run count from one start.
_START = float(os.environ.get("KUPENSTACK_CLOCK") or time.time())
_HEARTBEAT_SECONDS = 20
_lock = threading.Lock()


def say(text: str) -> None:
    seconds = int(time.time() - _START)
    with _lock:
        print(f"[{seconds // 60:02d}:{seconds % 60:02d}] {text}", file=sys.stderr, flush=True)


class Progress:
    """Counts items as they end, and names those under way when nothing has been said for a while."""

    def __init__(self, total: int):
        self.total = total
        self.done = 0
        self.active: dict[str, float] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()

    @contextmanager
    def heartbeat(self):
        thread = threading.Thread(target=self._beat, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._stop.set()
            thread.join()

    def begin(self, item: str) -> None:
        with self._lock:
            self.active[item] = time.time()

    def end(self, item: str, outcome: str, quiet: bool = False) -> None:
        with self._lock:
            took = time.time() - self.active.pop(item, time.time())
            self.done += 1
            done = self.done
        if not quiet:
            say(f"{done:3d}/{self.total} {item}: {outcome} ({took:.1f} s)")

    def _beat(self) -> None:
        while not self._stop.wait(_HEARTBEAT_SECONDS):
            with self._lock:
                under_way = [f"{name} ({time.time() - start:.0f} s)" for name, start in self.active.items()]
            if under_way:
                say(f"    still at: {', '.join(under_way)}")
