"""Who wrote what to the API server, from its audit log."""
import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from harness.settings import LOGS

LOG = LOGS / "audit.log"


class AuditLog:
    """Follows the log from where it ends now, also into the next file when it has become too long."""

    def __init__(self, path: Path = LOG):
        self._path = path
        self._file = open(path, "rb")
        self._file.seek(0, os.SEEK_END)
        self._rest = b""

    def close(self) -> None:
        self._file.close()

    def writes(self, agent: str) -> Counter[str]:
        """What a client whose user agent begins so has tried to write since the last question, as "patch networks/status".

        Refused writes count, too: they cost the same.
        """
        counts: Counter[str] = Counter()
        for line in self._lines():
            entry = json.loads(line)
            if entry.get("userAgent", "").startswith(agent) and "objectRef" in entry:
                counts[_shape(entry)] += 1
        return counts

    def all_writes(self, agent: str, calm: float = 1.0) -> Counter[str]:
        """The same, once it has written nothing but its lease for a while: events come late."""
        counts: Counter[str] = Counter()
        while more := without_lease(self.writes(agent)):
            counts += more
            time.sleep(calm)
        return counts

    def _lines(self) -> Iterator[bytes]:
        while True:
            text = self._rest + self._file.read()
            *whole, self._rest = text.split(b"\n")
            yield from whole
            if os.fstat(self._file.fileno()).st_ino == self._path.stat().st_ino:
                return
            # A new file was begun; lines are never cut in two by that.
            self._file.close()
            self._file = open(self._path, "rb")


def _shape(entry: dict) -> str:
    what = entry["objectRef"]
    resource = what.get("resource", "")
    return f"{entry['verb']} {resource}{'/' + what['subresource'] if what.get('subresource') else ''}"


def without_lease(writes: Counter[str]) -> Counter[str]:
    return Counter({shape: count for shape, count in writes.items() if not shape.endswith(" leases")})
