"""When each object of a collection became ready, by a watch: no question of ours disturbs what is measured."""
import http.client
import json
import threading
import time
from collections.abc import Callable, Iterable

from harness.progress import say
from measure.api import Api

_LOOK = 0.02
_PROGRESS_SECONDS = 15
# Longer than the API server lets a watch be without saying anything (bookmarks come every minute).
_SILENCE = 180


class TooSlow(Exception):
    """Something that was waited for has not come."""


def is_true(item: dict, condition: str) -> bool:
    conditions = item.get("status", {}).get("conditions", [])
    return any(one["type"] == condition and one["status"] == "True" for one in conditions)


class Watch:
    """Follows a collection from its making to close()."""

    def __init__(self, api: Api, path: str, is_ready: Callable[[dict], bool]):
        self._api, self._path, self._is_ready = api, path, is_ready
        self._lock = threading.Lock()
        # Versions by name; when each was first ready; those that are now; and what has happened to whom.
        self._versions: dict[str, str] = {}
        self._first_ready: dict[str, float] = {}
        self._ready: set[str] = set()
        self._changes: list[tuple[float, str]] = []
        self._problem: Exception | None = None
        self._closed = False
        self._connection, self._answer = self._begin()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_) -> None:
        self._closed = True
        # Wakes the thread, which close() alone would not.
        self._connection.sock.shutdown(2)
        self._thread.join()
        self._connection.close()

    def ready(self) -> set[str]:
        if self._problem is not None:
            raise TooSlow(f"the watch has ended: {self._problem}")
        with self._lock:
            return set(self._ready)

    def ready_times(self, names: Iterable[str]) -> list[float]:
        """When the first of them was ready, the second …"""
        with self._lock:
            return sorted(self._first_ready[name] for name in names)

    def changes_since(self, begin: float) -> dict[str, float]:
        """Whatever was written since then: the first time for each name."""
        with self._lock:
            first: dict[str, float] = {}
            for when, name in self._changes:
                if when >= begin:
                    first.setdefault(name, when)
            return first

    def await_ready(self, names: Iterable[str], seconds: float, what: str) -> None:
        wanted = set(names)
        await_that(lambda: wanted <= self.ready(), seconds,
                   lambda: f"{what}: {len(wanted & self.ready())} of {len(wanted)} ready")

    def _begin(self) -> tuple[http.client.HTTPSConnection, http.client.HTTPResponse]:
        listed = self._api.request("GET", self._path)
        for item in listed["items"]:
            self._take(item)
        connection = self._api.connect(_SILENCE)
        version = listed["metadata"]["resourceVersion"]
        connection.request("GET", f"{self._path}?watch=true&allowWatchBookmarks=true&resourceVersion={version}")
        return connection, connection.getresponse()

    def _run(self) -> None:
        try:
            self._read()
            while not self._closed:
                # The API server ends watches of a kind whose CRD it has just learned more of.
                self._connection, self._answer = self._begin()
                self._read()
        except Exception as problem:
            if not self._closed:
                self._problem = problem

    def _read(self) -> None:
        """Until the API server ends the watch."""
        while line := self._answer.readline():
            event = json.loads(line)
            if event["type"] == "ERROR":
                raise TooSlow(str(event["object"]))
            if event["type"] != "BOOKMARK":
                self._take(event["object"], gone=event["type"] == "DELETED")

    def _take(self, item: dict, gone: bool = False) -> None:
        now, name = time.monotonic(), item["metadata"]["name"]
        ready, version = not gone and self._is_ready(item), item["metadata"]["resourceVersion"]
        with self._lock:
            if self._versions.get(name) == version:
                return
            self._versions[name] = version
            self._changes.append((now, name))
            if ready:
                self._first_ready.setdefault(name, now)
                self._ready.add(name)
            else:
                self._ready.discard(name)


def await_that(is_so: Callable[[], bool], seconds: float, describe: Callable[[], str], pause: float = _LOOK) -> None:
    """Says now and then how far it is."""
    begin = said = time.monotonic()
    while not is_so():
        now = time.monotonic()
        if now - begin > seconds:
            raise TooSlow(f"{describe()} after {seconds:.0f} s")
        if now - said > _PROGRESS_SECONDS:
            said = now
            say(f"    {describe()} after {now - begin:.0f} s")
        time.sleep(pause)
