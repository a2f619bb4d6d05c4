"""One at a time, and the one who waits is told for whom."""
import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from harness.progress import say
from harness.settings import STATE


@contextmanager
def exclusive(name: str) -> Iterator[None]:
    """Holds a lock beside the state directory, which itself may be wiped while the lock is held."""
    path = STATE.with_name(f"{STATE.name}.{name}.lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            say(f"waiting for another command to end: {lock.read().strip() or 'unknown'}")
            fcntl.flock(lock, fcntl.LOCK_EX)
        lock.truncate(0)
        lock.write(f"pid {os.getpid()}: {' '.join(sys.argv)}")
        lock.flush()
        yield
