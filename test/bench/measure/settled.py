"""Ten thousand objects with nothing to do: what they cost, and when a change in the cloud is noticed."""
import math
import time

from harness.progress import say
from measure.audit import AuditLog, without_lease
from measure.creation import Creation
from measure.kupenstack import MACHINES, NETWORKS, POLL_SECONDS
from measure.watch import Watch, await_that

COUNT = 10_000
_POLLS = 3
_CHANGED = 20
_REMOVED = 3
# When after a list the cloud is changed: early, in the middle and late.
_PHASES = (2.0, 12.0, 22.0)
_LIST = "GET network/networks?"
_PAGE = 500


class Settled:
    def __init__(self, creation: Creation):
        self._creation, self._cloud, self._api = creation, creation.cloud, creation.api

    def measure(self) -> dict:
        """Over a few polls of the cloud."""
        self._cloud.await_quiet(120, calm=3)
        self._await_list()
        audit, controller = AuditLog(), self._creation.controller
        self._cloud.forget_requests()
        cpu, begin = controller.cpu_seconds(), time.monotonic()
        polls, wanted = self._polls, _POLLS
        await_that(lambda: polls() >= wanted, 4 * wanted * POLL_SECONDS, lambda: f"{polls()} of {wanted} polls", pause=0.1)
        self._cloud.await_quiet(60)
        seconds = time.monotonic() - begin
        writes = audit.writes(self._creation.contender.agent)
        audit.close()
        requests = self._cloud.requests()
        result = {
            "count": COUNT, "seconds": round(seconds, 1), "polls": polls(), "requests": dict(requests),
            "pages": self._pages(), "writes": dict(without_lease(writes)), "lease_writes": sum(writes.values()),
            "cpu_seconds": round(controller.cpu_seconds() - cpu, 2), "rss_megabytes": round(controller.rss_megabytes(), 1),
            "peak_megabytes": round(controller.peak_megabytes(), 1)}
        say(f"settled: {result}")
        return result

    def measure_drift(self) -> dict:
        """Networks are renamed behind its back, and machines are deleted: seconds until each is put right, or told."""
        times: list[float] = []
        for trial, phase in enumerate(_PHASES):
            self._await_list()
            time.sleep(phase)
            found = self._change(trial)
            times += found
            say(f"drift: changed {phase:.0f} s after a list, put right or told after {min(found):.1f} to {max(found):.1f} s")
        return {"seconds": [round(one, 2) for one in sorted(times)], "poll_seconds": POLL_SECONDS}

    def _change(self, trial: int) -> list[float]:
        networks = self._ids(NETWORKS, trial * _CHANGED, _CHANGED)
        machines = self._ids(MACHINES, trial * _REMOVED, _REMOVED)
        with Watch(self._api, MACHINES, self._creation.contender.is_ready) as watch:
            begin = time.monotonic()
            for identity in networks.values():
                self._cloud.send("PUT", f"/network/v2.0/networks/{identity}", {"network": {"name": "changed"}})
            for identity in machines.values():
                self._cloud.send("DELETE", f"/compute/v2.1/servers/{identity}")
            times: dict[str, float] = {}
            await_that(lambda: self._look(times, networks, begin) and machines.keys() <= watch.changes_since(begin).keys(),
                       3 * POLL_SECONDS, lambda: f"{len(times)} of {len(networks)} networks are put right", pause=0.1)
            told = watch.changes_since(begin)
            found = list(times.values()) + [told[name] - begin for name in machines]
            # Before the next trial, what was deleted is there again.
            watch.await_ready(machines, 4 * POLL_SECONDS, "machines that were deleted")
        return found

    def _look(self, times: dict[str, float], networks: dict[str, str], begin: float) -> bool:
        """Notes those that have their names again. Whether all have."""
        for name, identity in networks.items():
            if name not in times:
                if self._cloud.send("GET", f"/network/v2.0/networks/{identity}")["network"]["name"] != name:
                    return False
                times[name] = time.monotonic() - begin
        return True

    def _ids(self, path: str, first: int, count: int) -> dict[str, str]:
        """Of some objects, by their names."""
        items = self._api.request("GET", f"{path}?limit={first + count}")["items"][first:]
        return {item["metadata"]["name"]: item["metadata"]["annotations"]["crossplane.io/external-name"] for item in items}

    def _polls(self) -> int:
        """How many times all networks have been listed: the first page of a list has no marker."""
        return sum(count for shape, count in self._cloud.requests().items()
                   if shape.startswith(_LIST) and "marker" not in shape)

    def _await_list(self) -> None:
        """Until the next list of the networks is over."""
        before = self._polls()
        await_that(lambda: self._polls() > before, 3 * POLL_SECONDS, lambda: "no list", pause=0.1)
        self._cloud.await_quiet(60)

    def _pages(self) -> int:
        """Of the collections in use, as long as the provider asks for."""
        return sum(math.ceil(len(self._cloud.objects(name)) / _PAGE) for name in ("network/networks", "compute/servers"))
