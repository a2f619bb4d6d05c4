"""How long the provider takes from its start to its first reconcile, and how much memory it has with all kinds watched."""
import re
import time
import urllib.request

from harness.progress import say
from measure.api import NAMESPACE, Api, ApiError, install_crds
from measure.contender import SECRET
from measure.kupenstack import CRDS, METRICS, config, start
from measure.process import Controller
from measure.watch import await_that

RUNS = 10
# How long a run may take to get where it is measured.
_LIMIT = 30.0
# What a process needs for its start is given back, and what it needs later is there.
_CALM = 2.0
_LEASE = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases/crossplane-leader-election-provider-kupenstack"
_UNITS = {"h": 3600, "m": 60, "s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


def measure(api: Api) -> dict:
    """The CRDs are made just before the first run: that the API server is not yet used to them is part of it."""
    install_crds(CRDS)
    # Something to reconcile; its Secret is missing, so that nothing but a status comes of it.
    api.create(config(secret=f"no-{SECRET}"))
    runs = []
    for run in range(RUNS):
        runs.append(_run(api))
        first, memory = runs[-1]["first_reconcile"], runs[-1]["megabytes"]
        say(f"start {run + 1} of {RUNS}: first reconcile after {first:.2f} s, {memory:.1f} MB")
    api.remove_all(config().collection)
    return {what: [run[what] for run in runs] for what in runs[0]}


def _run(api: Api) -> dict:
    try:
        api.request("DELETE", _LEASE)
    except ApiError:
        pass  # the first run has none to delete
    with start("--leader-election", name="start") as provider:
        await_that(lambda: _since_start(provider, "first reconcile") is not None, _LIMIT, lambda: "no reconcile")
        await_that(_is_ready, _LIMIT, lambda: "not ready")
        time.sleep(_CALM)
        return {"ready": _since_start(provider, "ready to reconcile"),
                "first_reconcile": _since_start(provider, "first reconcile"),
                "megabytes": round(provider.rss_megabytes(), 1),
                "kinds": provider.log.read_text().count(" watching kind=")}


def _since_start(provider: Controller, message: str) -> float | None:
    """As the provider itself logs it."""
    provider.check()
    found = re.search(rf" {message} since_start=(\S+)", provider.log.read_text())
    return round(seconds(found[1]), 3) if found else None


def seconds(duration: str) -> float:
    """Of a duration as the log has it: 1m2.5s, 312.4ms."""
    return sum(float(number) * _UNITS[unit] for number, unit in re.findall(r"([0-9.]+)(ns|us|ms|s|m|h)", duration))


def _is_ready() -> bool:
    try:
        with urllib.request.urlopen(f"http://{METRICS}/readyz", timeout=5):
            return True
    except OSError:
        return False
