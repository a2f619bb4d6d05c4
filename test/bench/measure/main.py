"""The command line: see usage()."""
import json
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness import cluster, tools
from harness.part import as_part_failed
from harness.progress import say
from harness.settings import LOGS, REPOSITORY, SOURCE
from measure import bars, cloud, kupenstack, neighbours, orc, page, plot, start
from measure.api import NAMESPACE, Api, collection, install_crds, kubectl
from measure.cloud import Cloud
from measure.contender import Contender
from measure.creation import COUNT, Creation
from measure.settled import COUNT as SETTLED
from measure.settled import Settled
from measure.vanish import Vanish

_DOCS = REPOSITORY / "docs"
_RESULTS, _PLOT, _PAGE = _DOCS / "performance.json", _DOCS / "performance.svg", _DOCS / "performance.md"
_BENCH = Path(__file__).resolve().parent.parent / "bench"
# How long ORC is given to notice that something was changed behind its back.
_ORC_SECONDS = 60


def usage() -> None:
    sys.exit(f"""usage: bench [{' | '.join(PARTS)}]...      without any: all, and docs/performance.* are written anew
       bench render                                    docs/performance.md and .svg anew, from docs/performance.json""")


def measure_start(api: Api, results: dict) -> None:
    results["start"] = start.measure(api)


@contextmanager
def _at_work(contender: Contender, api: Api) -> Iterator[Creation]:
    """A controller and a cloud of its own, warmed up."""
    install_crds(contender.crds)
    with Cloud() as simulated, contender.start() as controller:
        contender.prepare(api, simulated)
        creation = Creation(contender, controller, api, simulated)
        creation.warm_up()
        yield creation


def _measure_kinds(creation: Creation) -> dict:
    return {kind: creation.measure(kind, f"{kind}s") for kind in ("network", "machine")}


def measure_orc(api: Api, results: dict) -> None:
    with _at_work(orc.contender(), api) as creation:
        results["orc"] = _measure_kinds(creation)
        results["orc"]["drift"] = _orc_drift(creation.cloud)
    api.remove_all(*orc.collections(), collection("v1", "secrets"))


def _orc_drift(simulated: Cloud) -> dict:
    """Whether it ever puts right what somebody else has changed."""
    say(f"ORC: a network is renamed behind its back; {_ORC_SECONDS} s to notice")
    networks = {one["name"]: one["id"] for one in simulated.objects("network/networks")}
    path = f"/network/v2.0/networks/{networks['networks-0']}"
    simulated.forget_requests()
    simulated.send("PUT", path, {"network": {"name": "changed"}})
    begin, noticed = time.monotonic(), None
    while noticed is None and time.monotonic() - begin < _ORC_SECONDS:
        time.sleep(1)
        if simulated.send("GET", path)["network"]["name"] != "changed":
            noticed = round(time.monotonic() - begin, 1)
    return {"objects": 3 * COUNT, "seconds": _ORC_SECONDS, "noticed": noticed, "requests": sum(simulated.requests().values())}


def measure_kupenstack(api: Api, results: dict) -> None:
    with _at_work(kupenstack.Kupenstack().contender(), api) as creation:
        results["kupenstack"] = _measure_kinds(creation)
        there = len(api.list(kupenstack.NETWORKS)) + len(api.list(kupenstack.MACHINES))
        results["kupenstack"]["many"] = creation.measure("network", "more", SETTLED - there)
        settled = Settled(creation)
        results["settled"] = settled.measure()
        results["drift"] = settled.measure_drift()
        results["vanish"] = Vanish(creation).measure()
    say("removing the objects")
    api.remove_all(kupenstack.MACHINES, kupenstack.NETWORKS, kupenstack.config().collection, collection("v1", "secrets"))


def measure_neighbours(api: Api, results: dict) -> None:
    results["neighbours"] = neighbours.measure(api)


PARTS = {"start": measure_start, "orc": measure_orc, "kupenstack": measure_kupenstack, "neighbours": measure_neighbours}


def measure(parts: list[str]) -> bool:
    """Inside the cluster's namespace. Whether all bars are kept."""
    begin, results, load = time.time(), {}, os.getloadavg()[0]
    kubectl("create", "namespace", NAMESPACE)
    api = Api()
    for part in parts:
        say(f"== {part}")
        PARTS[part](api, results)
    results["run"] = _describe_run(begin, load)
    if len(parts) == len(PARTS):
        _RESULTS.write_text(json.dumps(results, indent=1) + "\n")
        render()
    found = bars.of(results)
    print(f"\n{bars.table(found)}\n", flush=True)
    missed = [bar.what for bar in found if not bar.kept]
    say(f"bench: {len(found) - len(missed)} of {len(found)} bars are kept" + "".join(f"\n  missed: {what}" for what in missed))
    return not missed


def render() -> None:
    results = json.loads(_RESULTS.read_text())
    _PLOT.write_text(plot.draw(results))
    _PAGE.write_text(page.rewrite(_PAGE.read_text(), results))


def _describe_run(begin: float, load: float) -> dict:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return {"date": time.strftime("%Y-%m-%d", time.gmtime(begin)), "minutes": round((time.time() - begin) / 60, 1),
            "cores": os.cpu_count(), "processor": model[0] if model else platform.machine(), "memory": round(memory, 1),
            "kernel": platform.release(), "kubernetes": tools.KUBERNETES_VERSION, "etcd": tools.ETCD_VERSION,
            "load": [round(load, 2), round(os.getloadavg()[0], 2)]}


def _run_inside(parts: list[str]) -> int:
    """On a control plane of its own, which is gone afterwards."""
    for program in (kupenstack.PROGRAM, cloud.PROGRAM):
        if not program.exists():
            sys.exit(f"bench: {program.relative_to(REPOSITORY)} is missing: make build")
    cluster.wipe()
    cluster.up(["control"])
    if "orc" in parts:
        orc.build()
    code = subprocess.run([str(SOURCE / "cluster"), "exec", str(_BENCH), "inside", *parts]).returncode
    if code == 0:
        cluster.wipe()
    else:
        cluster.down()
        say(f"the logs are in {LOGS}")
    return code


def main() -> None:
    arguments = sys.argv[1:]
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if arguments == ["render"]:
            render()
        elif arguments[:1] == ["inside"]:
            sys.exit(0 if measure(arguments[1:]) else 1)
        elif set(arguments) <= set(PARTS):
            sys.exit(_run_inside([part for part in PARTS if part in arguments or not arguments]))
        else:
            usage()
    except KeyboardInterrupt:
        say("bench: interrupted")
        sys.exit(130)
    except Exception as problem:
        sys.exit(f"\nbench FAILED\n{as_part_failed(problem)}")
