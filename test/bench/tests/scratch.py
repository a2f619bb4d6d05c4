"""What every test here begins with: the paths of the bench, and a state directory that is nobody's."""
import os
import sys
import tempfile
from pathlib import Path

_STATE = tempfile.TemporaryDirectory()
STATE = Path(_STATE.name)
os.environ["KUPENSTACK_STATE"] = str(STATE)
sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2] / "cluster")]


def contender(seconds: float, cpu: float, requests: int, writes: int) -> dict:
    """What Creation.measure() gives."""
    return {"count": 1000, "seconds": seconds, "cpu_seconds": cpu, "rss_megabytes": 50.0,
            "requests": {"POST network/networks": requests}, "writes": {"patch networks/status": writes},
            "curve": [[seconds / 2, 500], [seconds, 1000]]}


def results() -> dict:
    """A run in which every bar is kept."""
    ours, theirs = contender(10, 1, 1050, 4000), contender(100, 10, 3000, 3000)
    return {
        "run": {"date": "2026-01-01", "minutes": 20.0, "cores": 2, "processor": "some", "memory": 8.0, "kernel": "6",
                "kubernetes": "v1", "etcd": "v3", "load": [0.1, 0.2]},
        "start": {"first_reconcile": [0.1, 0.2, 0.9], "ready": [0.1, 0.2, 0.9], "megabytes": [20.0] * 3, "kinds": [8] * 3},
        "orc": {"network": theirs, "machine": theirs,
                "drift": {"objects": 3000, "seconds": 60, "noticed": None, "requests": 0}},
        "kupenstack": {"network": ours, "machine": ours},
        "settled": {"seconds": 90.0, "polls": 3, "pages": 20, "requests": {"GET network/networks?limit": 60}, "writes": {},
                    "lease_writes": 9, "cpu_seconds": 1.0, "rss_megabytes": 90.0, "peak_megabytes": 95.0},
        "drift": {"seconds": [3.0, 12.0, 29.0], "poll_seconds": 30.0},
        "vanish": {"down cell": {"machines": 1000, "recreated": 0, "still_ready": 500, "events": {"why": 1}}},
        "neighbours": {"seconds": {"alone": [2.0], "slow": [2.1], "silent": [2.2]},
                       "median": {"alone": 2.0, "slow": 2.1, "silent": 2.2}},
    }
