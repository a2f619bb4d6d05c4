"""From the first object that is created to the last that is ready: what a thousand of a kind take."""
import time
from collections import Counter

from harness.progress import say
from measure.api import Api
from measure.audit import AuditLog
from measure.cloud import Cloud
from measure.contender import Contender, Load
from measure.process import Controller
from measure.watch import Watch

COUNT = 1000
_WARM_UP = {"network": 20, "machine": 5}
_LIMIT = 1500
_CURVE_POINTS = 80


class Creation:
    """One contender at work, on one API server and one cloud."""

    def __init__(self, contender: Contender, controller: Controller, api: Api, cloud: Cloud):
        self.contender, self.controller, self.api, self.cloud = contender, controller, api, cloud

    def warm_up(self) -> None:
        """What happens only once is over then: logins, versions, first connections, code that is paged in."""
        for kind, count in _WARM_UP.items():
            load = self.contender.load(kind, f"warm-{kind}", count)
            with Watch(self.api, load.collection, self.contender.is_ready) as watch:
                self.api.create_all(load.items())
                watch.await_ready(load.names, 120, f"{self.contender.name}: warm-up")
        self.cloud.await_quiet(60)

    def measure(self, kind: str, prefix: str, count: int = COUNT) -> dict:
        load = self.contender.load(kind, prefix, count)
        say(f"{self.contender.name}: {count} of kind {kind}")
        audit = AuditLog()
        self.cloud.forget_requests()
        cpu = self.controller.cpu_seconds()
        with Watch(self.api, load.collection, self.contender.is_ready) as watch:
            result = self._run(load, watch)
        # Events of the last objects may still be on their way.
        result["writes"] = dict(audit.all_writes(self.contender.agent))
        result["requests"] = dict(self.cloud.requests())
        result["cpu_seconds"] = round(self.controller.cpu_seconds() - cpu, 2)
        result["rss_megabytes"] = round(self.controller.rss_megabytes(), 1)
        audit.close()
        _tell(self.contender.name, kind, result)
        return result

    def _run(self, load: Load, watch: Watch) -> dict:
        begin = time.monotonic()
        self.api.create_all(load.items())
        created = time.monotonic() - begin
        watch.await_ready(load.names, _LIMIT, self.contender.name)
        times = [when - begin for when in watch.ready_times(load.names)]
        return {"count": len(load.names), "seconds": round(times[-1], 2), "create_seconds": round(created, 2),
                "curve": _curve(times)}


def each(result: dict, what: str) -> float:
    """Requests or writes per object."""
    return sum(result[what].values()) / result["count"]


def own_writes(result: dict) -> float:
    """Writes per object, to itself and its event: without those that tell how many use a configuration."""
    return sum(count for shape, count in result["writes"].items() if "providerconfigs" not in shape) / result["count"]


def cpu_milliseconds(result: dict) -> float:
    return result["cpu_seconds"] * 1000 / result["count"]


def _curve(times: list[float]) -> list[list[float]]:
    """[[seconds, how many were ready], …], thinned out."""
    step = max(1, len(times) // _CURVE_POINTS)
    chosen = sorted({0, len(times) - 1, *range(step - 1, len(times), step)})
    return [[round(times[i], 3), i + 1] for i in chosen]


def _tell(name: str, kind: str, result: dict) -> None:
    say(f"{name}: {result['count']} of kind {kind} ready after {result['seconds']:.1f} s "
        f"(created in {result['create_seconds']:.1f} s), {result['rss_megabytes']:.0f} MB; "
        f"each: {cpu_milliseconds(result):.2f} ms of CPU, {each(result, 'requests'):.3f} requests, "
        f"{each(result, 'writes'):.3f} writes")
    for what in ("requests", "writes"):
        most = Counter(result[what]).most_common(6)
        say(f"    {what}: " + ", ".join(f"{count} {shape}" for shape, count in most))
