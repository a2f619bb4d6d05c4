"""What the numbers have to be, and what they are."""
import statistics
from dataclasses import dataclass

from measure.creation import cpu_milliseconds, each, own_writes


@dataclass(frozen=True)
class Bar:
    what: str
    limit: float
    measured: float
    unit: str = ""
    at_least: bool = False

    @property
    def kept(self) -> bool:
        return self.measured >= self.limit if self.at_least else self.measured <= self.limit

    @property
    def ratio(self) -> float | None:
        """What was measured, as a part of what is allowed, or asked for."""
        return self.measured / self.limit if self.limit else None


def of(results: dict) -> list[Bar]:
    """The bars of those parts that have been measured."""
    parts = {"start": _start, "orc": _compared, "kupenstack": _alone, "settled": _settled, "drift": _drift, "vanish": _vanish,
             "neighbours": _neighbours}
    return [bar for part, bars in parts.items() if part in results for bar in bars(results)]


def table(bars: list[Bar]) -> str:
    lines = ["| what | bar | measured | measured / bar | |", "|---|---|---|---|---|"]
    for bar in bars:
        ratio = "" if bar.ratio is None else f"{bar.ratio:.2f}"
        limit = f"{'≥' if bar.at_least else '≤'} {_number(bar.limit)}{bar.unit}"
        verdict = "ok" if bar.kept else "**missed**"
        lines.append(f"| {bar.what} | {limit} | {_number(bar.measured)}{bar.unit} | {ratio} | {verdict} |")
    return "\n".join(lines)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) or value >= 100 else f"{value:.3g}"


def _start(results: dict) -> list[Bar]:
    start = results["start"]
    first, memory = statistics.median(start["first_reconcile"]), statistics.median(start["megabytes"])
    return [Bar("start to first reconcile, the lease free (median of 10)", 1, first, " s"),
            Bar("resident memory, idle, all kinds watched (median of 10)", 40, memory, " MB")]


def _compared(results: dict) -> list[Bar]:
    if "kupenstack" not in results:
        return []
    bars = []
    for kind, plural in (("network", "networks"), ("machine", "VMs")):
        ours, theirs = results["kupenstack"][kind], results["orc"][kind]
        faster, cheaper = theirs["seconds"] / ours["seconds"], cpu_milliseconds(theirs) / cpu_milliseconds(ours)
        bars += [Bar(f"{ours['count']:,} {plural} to Ready, times faster than ORC", 5, faster, "×", at_least=True),
                 Bar(f"{ours['count']:,} {plural} to Ready, times less CPU than ORC", 5, cheaper, "×", at_least=True)]
    return bars


def _alone(results: dict) -> list[Bar]:
    network, machine = results["kupenstack"]["network"], results["kupenstack"]["machine"]
    return [Bar("OpenStack requests for a network", 1.1, each(network, "requests")),
            Bar("OpenStack requests for a VM on a network id", 1.5, each(machine, "requests")),
            Bar("API-server writes for a network, its event included", 4, own_writes(network)),
            Bar("API-server writes for a VM, its event included", 4, own_writes(machine)),
            Bar("provider CPU for a network", 2, cpu_milliseconds(network), " ms")]


def _settled(results: dict) -> list[Bar]:
    settled = results["settled"]
    return [Bar("10,000 settled objects: writes but for the lease", 0, sum(settled["writes"].values())),
            Bar(f"10,000 settled objects: requests a poll ({settled['pages']} pages, and 2)", settled["pages"] + 2,
                sum(settled["requests"].values()) / settled["polls"]),
            Bar("10,000 settled objects: resident memory", 120, settled["rss_megabytes"], " MB")]


def _drift(results: dict) -> list[Bar]:
    drift = results["drift"]
    return [Bar(f"drift at 10,000 objects put right or told, worst of {len(drift['seconds'])}", drift["poll_seconds"],
                max(drift["seconds"]), " s")]


def _vanish(results: dict) -> list[Bar]:
    bars = []
    for name, one in results["vanish"].items():
        what = f"{one['machines'] // 2} VMs vanish ({name})"
        bars += [Bar(f"{what}: made again", 0, one["recreated"]),
                 Bar(f"{what}: events that say why", 1, sum(one["events"].values()), at_least=True)]
    return bars


def _neighbours(results: dict) -> list[Bar]:
    median = results["neighbours"]["median"]
    return [Bar(f"objects of another cloud while one is {name}, median of 5", 1.3, median[name] / median["alone"], "×")
            for name in ("slow", "silent")]
