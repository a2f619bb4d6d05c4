"""The picture in docs/performance.md: how many objects are ready after how long, and what each cost."""
import math
from collections.abc import Callable
from xml.sax.saxutils import escape

from measure.creation import cpu_milliseconds, each

_OURS, _THEIRS, _INK, _FAINT = "#0067a5", "#d9730d", "#24292f", "#d0d7de"
_WIDTH, _HEIGHT = 900, 560
_PANEL = 370
_KINDS = (("network", "networks"), ("machine", "VMs"))


def draw(results: dict) -> str:
    ours, theirs = results["kupenstack"], results["orc"]
    title = "1,000 objects to Ready, on one API server and a cloud that takes 50 ms for an answer"
    parts = [_text(20, 28, title, 16, bold=True), _legend(20, 54)]
    longest = max(theirs[kind]["seconds"] for kind, _ in _KINDS)
    for column, (kind, plural) in enumerate(_KINDS):
        left = 60 + column * (_PANEL + 70)
        parts.append(_curves(left, 100, 210, plural, ours[kind], theirs[kind], longest))
        parts.append(_bars(left, 390, plural, ours[kind], theirs[kind]))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif">\n'
            f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n")


def _legend(x: float, y: float) -> str:
    parts = []
    for offset, colour, name in ((0, _OURS, "provider-kupenstack"), (190, _THEIRS, "ORC v2.6.0, its default settings")):
        parts += [f'<rect x="{x + offset}" y="{y - 10}" width="12" height="12" fill="{colour}"/>',
                  _text(x + offset + 18, y, name, 12)]
    return "\n".join(parts)


def _curves(left: float, top: float, height: float, plural: str, ours: dict, theirs: dict, longest: float) -> str:
    """Ready objects over the time since the first was created, which is logarithmic: the two differ too much for one scale."""
    first, last = 0.1, 10 ** math.ceil(math.log10(longest))
    count = ours["count"]

    def x(seconds: float) -> float:
        return left + _PANEL * math.log(max(seconds, first) / first) / math.log(last / first)

    def y(ready: float) -> float:
        return top + height * (1 - ready / count)

    parts = [_text(left, top - 12, f"{plural} that are ready", 13, bold=True)]
    for share in (0, 0.25, 0.5, 0.75, 1):
        parts += [_line(left, y(share * count), left + _PANEL, y(share * count)),
                  _text(left - 6, y(share * count) + 4, f"{share * count:,.0f}", 11, anchor="end")]
    for power in range(round(math.log10(first)), round(math.log10(last)) + 1):
        parts += [_line(x(10**power), top, x(10**power), top + height),
                  _text(x(10**power), top + height + 16, f"{10**power:g} s", 11, anchor="middle")]
    for one, colour in ((theirs, _THEIRS), (ours, _OURS)):
        points = " ".join(f"{x(seconds):.1f},{y(ready):.1f}" for seconds, ready in one["curve"])
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        # At half of the height, to the left of its curve.
        half = one["curve"][len(one["curve"]) // 2][0]
        parts.append(_text(x(half) - 8, y(count / 2) - 5, f"{one['seconds']:.0f} s", 13, colour, "end", bold=True))
    return "\n".join(parts)


def _bars(left: float, top: float, plural: str, ours: dict, theirs: dict) -> str:
    rows: list[tuple[str, Callable[[dict], float], str]] = [
        ("controller CPU", cpu_milliseconds, " ms"), ("OpenStack requests", lambda one: each(one, "requests"), ""),
        ("API-server writes", lambda one: each(one, "writes"), "")]
    parts = [_text(left, top - 12, f"cost of each {plural[:-1]}", 13, bold=True)]
    for i, (name, value, unit) in enumerate(rows):
        y = top + i * 50
        parts.append(_text(left, y + 24, name, 12))
        largest = max(value(ours), value(theirs))
        for offset, one, colour in ((6, ours, _OURS), (24, theirs, _THEIRS)):
            width = 176 * value(one) / largest
            parts += [f'<rect x="{left + 136}" y="{y + offset}" width="{width:.1f}" height="14" fill="{colour}"/>',
                      _text(left + 142 + width, y + offset + 11, f"{value(one):.3g}{unit}", 12)]
    return "\n".join(parts)


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{_FAINT}"/>'


def _text(x: float, y: float, text: str, size: int, colour: str = _INK, anchor: str = "start", bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" text-anchor="{anchor}"{weight}>'
            f'{escape(text)}</text>')
