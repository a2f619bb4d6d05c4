"""Puts the results into docs/performance.md, between marks that say what belongs there."""
import re
import statistics
from collections import Counter

from measure import bars
from measure.creation import cpu_milliseconds, each

_KINDS = (("network", "networks"), ("machine", "VMs"))
_BLOCK = re.compile(r"(<!-- (?P<name>[a-z-]+) -->\n).*?(<!-- /(?P=name) -->)", re.DOTALL)


def rewrite(page: str, results: dict) -> str:
    """The page with every block anew. A block of an unknown name is an error."""
    return _BLOCK.sub(lambda found: f"{found[1]}{_BLOCKS[found['name']](results)}\n{found[3]}", page)


def _bars(results: dict) -> str:
    return bars.table(bars.of(results))


def _machine(results: dict) -> str:
    run = results["run"]
    return (f"{run['date']}, one run of `make bench`, {run['minutes']:.0f} minutes: {run['cores']} cores ({run['processor']}), "
            f"{run['memory']:.0f} GB of memory, Linux {run['kernel']}, Kubernetes {run['kubernetes']}, etcd {run['etcd']}.\n"
            f"Load of the machine (1 minute) before and after: {run['load'][0]:.1f} and {run['load'][1]:.1f}.")


def _peers(results: dict) -> str:
    rows = ["![How many objects are ready after how long, and what each cost](performance.svg)", "",
            "| | provider-kupenstack | ORC | ratio |", "|---|---|---|---|"]
    values = (("to Ready", lambda one: one["seconds"], " s"), ("controller CPU, each", cpu_milliseconds, " ms"),
              ("OpenStack requests, each", lambda one: each(one, "requests"), ""),
              ("API-server writes, each", lambda one: each(one, "writes"), ""),
              ("resident memory after", lambda one: one["rss_megabytes"], " MB"))
    for kind, plural in _KINDS:
        ours, theirs = results["kupenstack"][kind], results["orc"][kind]
        for what, value, unit in values:
            mine, other = value(ours), value(theirs)
            rows.append(f"| {ours['count']:,} {plural}: {what} | {mine:.3g}{unit} | {other:.3g}{unit} | {other / mine:.1f}× |")
    return "\n".join(rows)


def _requests(results: dict) -> str:
    lines = []
    for kind, plural in _KINDS:
        for name, part in (("provider-kupenstack", "kupenstack"), ("ORC", "orc")):
            one = results[part][kind]
            for what in ("requests", "writes"):
                most = ", ".join(f"{count:,} `{shape}`" for shape, count in Counter(one[what]).most_common(5))
                lines.append(f"- {one['count']:,} {plural}, {name}, {what}: {most}")
    return "\n".join(lines)


def _settled(results: dict) -> str:
    one = results["settled"]
    seconds, polls = one["seconds"], one["polls"]
    return (f"Over {seconds:.0f} s and {polls} polls: {sum(one['requests'].values())} OpenStack requests, "
            f"{sum(one['writes'].values())} writes and {one['lease_writes']} of the lease, "
            f"{one['cpu_seconds'] * 60 / seconds:.2f} s of CPU a minute, {one['rss_megabytes']:.0f} MB resident "
            f"({one['peak_megabytes']:.0f} MB at most, while they were created).")


def _drift(results: dict) -> str:
    seconds, orc = results["drift"]["seconds"], results["orc"]["drift"]
    noticed = "not noticed" if orc["noticed"] is None else f"noticed after {orc['noticed']:.0f} s"
    return (f"{len(seconds)} changes: put right or told after {min(seconds):.1f} s to {max(seconds):.1f} s, median "
            f"{statistics.median(seconds):.1f} s. "
            f"ORC, with {orc['objects']:,} objects: {noticed} within {orc['seconds']:.0f} s.")


def _vanish(results: dict) -> str:
    lines = []
    for name, one in results["vanish"].items():
        lines.append(f"- {name}: of {one['machines']:,} VMs {one['recreated']} were made again, {one['still_ready']:,} "
                     "stayed Ready meanwhile. The events, by how many objects they are about:")
        lines += [f"  - {count:,}: {text}" for text, count in Counter(one["events"]).most_common(3)]
    return "\n".join(lines)


def _neighbours(results: dict) -> str:
    one = results["neighbours"]
    rows = ["| the other cloud | median | all runs |", "|---|---|---|"]
    rows += [f"| {name} | {one['median'][name]:.2f} s | {', '.join(f'{value:.2f}' for value in values)} |"
             for name, values in one["seconds"].items()]
    return "\n".join(rows)


_BLOCKS = {"bars": _bars, "machine": _machine, "peers": _peers, "requests": _requests, "settled": _settled, "drift": _drift,
           "vanish": _vanish, "neighbours": _neighbours}
