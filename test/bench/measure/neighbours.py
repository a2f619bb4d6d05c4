"""One cloud that answers slowly, or not at all: what the objects of another cloud notice of it."""
import statistics
import time

from harness.progress import say
from measure import kupenstack
from measure.api import Api, collection, install_crds
from measure.cloud import Cloud
from measure.contender import Load, credentials
from measure.watch import Watch

RUNS = 5
_COUNT = 300
_SICK_COUNT = 100
_PORTS = {"well": 18774, "sick": 18775}
# How long the other cloud takes for an answer; alone, the healthy one has no neighbour with anything to do.
_NEIGHBOURS = {"alone": None, "slow": "5s", "silent": "1h"}
_LIMIT = 120


def measure(api: Api) -> dict:
    """Seconds until all networks of the healthy cloud are ready, by what is wrong with its neighbour."""
    install_crds(kupenstack.CRDS)
    times: dict[str, list[float]] = {name: [] for name in _NEIGHBOURS}
    for run in range(RUNS):
        for neighbour, delay in _NEIGHBOURS.items():
            times[neighbour].append(_run(api, f"{neighbour}-{run}", delay))
            say(f"neighbour: {neighbour}, run {run + 1} of {RUNS}: {times[neighbour][-1]:.2f} s")
    return {"count": _COUNT, "seconds": times, "median": {name: statistics.median(all_of) for name, all_of in times.items()}}


def _run(api: Api, prefix: str, delay: str | None) -> float:
    """Clouds and provider are new each time: what was learned of a sick one must not help the next run."""
    with Cloud("well", _PORTS["well"]) as well, Cloud("sick", _PORTS["sick"]) as sick:
        for name, cloud in (("well", well), ("sick", sick)):
            api.create(credentials(cloud, name))
            api.create(kupenstack.config(name, name))
        try:
            with kupenstack.start(name="neighbours") as provider:
                seconds = _time(api, sick, prefix, delay)
                # It would wait for the answers that it has asked for.
                provider.kill()
                return seconds
        finally:
            api.remove_all(kupenstack.NETWORKS, kupenstack.config().collection, collection("v1", "secrets"))


def _time(api: Api, sick: Cloud, prefix: str, delay: str | None) -> float:
    with Watch(api, kupenstack.NETWORKS, kupenstack.is_ready) as watch:
        warm = _load("warm-well", "well", 5), _load("warm-sick", "sick", 5)
        for load in warm:
            api.create_all(load.items())
            watch.await_ready(load.names, _LIMIT, "warm-up")
        if delay is not None:
            sick.tell("PUT", "/faults", {"faults": [{"effect": "delay", "delay": delay}]})
            # First, so that they have all that they can get of the workers.
            api.create_all(_load(f"{prefix}-sick", "sick", _SICK_COUNT).items())
        load = _load(prefix, "well", _COUNT)
        begin = time.monotonic()
        api.create_all(load.items())
        watch.await_ready(load.names, _LIMIT, prefix)
        return round(watch.ready_times(load.names)[-1] - begin, 2)


def _load(prefix: str, config: str, count: int) -> Load:
    return Load(lambda name: kupenstack.network(name, config), [f"{prefix}-{i}" for i in range(count)])
