"""Configuration files from templates: ${name} is filled in, anything unknown is an error."""
import string
from pathlib import Path

from harness import settings

_COMMON = {
    "state": settings.STATE, "pki": settings.PKI, "logs": settings.LOGS, "run": settings.RUN,
    "ip": settings.IP, "registry": settings.REGISTRY, "pod_cidr": settings.POD_CIDR,
}


class _Braced(string.Template):
    """Only ${name}: a plain $ is common in configuration files."""
    idpattern = None
    braceidpattern = r"(?a:[_a-z][_a-z0-9]*)"
    flags = 0


def render(source: Path, target: Path, **values: object) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(_Braced(source.read_text()).substitute(_COMMON, **values))
