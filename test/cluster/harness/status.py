"""A table of the cluster's parts."""
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from harness import namespace, node
from harness.daemon import rss_kib
from harness.part import Part, Service


@dataclass
class Row:
    name: str
    version: str
    state: str
    pid: int
    rss_kib: int
    log: str


def rows(parts: dict[str, Part]) -> list[Row]:
    """Of every service, and of every container of Crossplane."""
    services = [part for part in parts.values() if isinstance(part, Service)]
    found = [Row(part.name, part.version(), part.state(), part.daemon.pid() or 0, part.daemon.rss_kib(), str(part.daemon.log))
             for part in services]
    if parts["kubelet"].daemon.pid() and parts["containerd"].daemon.pid():
        found += [Row(name, version, state, pid, rss_kib(pid), log)
                  for name, version, state, pid, log in parts["crossplane"].containers()]
    return found


def total_rss_kib() -> int:
    """Of every process in the namespace (shims and workers too) and in any pod."""
    pids = {int(entry) for entry in os.listdir("/proc") if entry.isdigit() and namespace.contains(int(entry))}
    for container in node.container_pids().values() if node.is_up() else ():
        pids |= {int(child) for child in _processes_beside(container)}
    return sum(rss_kib(pid) for pid in pids)


def _processes_beside(pid: int) -> list[str]:
    """All processes of a container, by its cgroup."""
    try:
        group = Path(f"/proc/{pid}/cgroup").read_text().splitlines()[0].split(":", 2)
        return Path(f"/sys/fs/cgroup/{group[1].split(',')[0]}{group[2]}/cgroup.procs").read_text().split()
    except OSError:
        return [str(pid)]


def as_json(parts: dict[str, Part]) -> str:
    return json.dumps({"parts": [asdict(row) for row in rows(parts)], "rssKiB": total_rss_kib()}, indent=2)


def as_table(parts: dict[str, Part]) -> str:
    found = rows(parts)
    lines = [("PART", "VERSION", "STATE", "RSS", "LOG")]
    lines += [(row.name, row.version, row.state, f"{row.rss_kib / 1024:.0f} MB" if row.rss_kib else "-", row.log)
              for row in found]
    widths = [max(len(line[column]) for line in lines) for column in range(4)]
    table = ["  ".join([*(cell.ljust(width) for cell, width in zip(line, widths)), line[4]]) for line in lines]
    ready = sum(row.state == "ready" for row in found)
    return "\n".join([*table, f"{ready} of {len(found)} ready, {total_rss_kib() / 1024:.0f} MB resident in all"])
