"""Text from templates: ${name} is filled in, a name that nobody knows is an error."""
import string
from pathlib import Path

from harness import settings

_COMMON = {
    "state": settings.STATE, "pki": settings.PKI, "ip": settings.IP, "registry": settings.REGISTRY,
    "pod_cidr": settings.POD_CIDR,
}


def fill(template: Path, **values: object) -> str:
    return string.Template(template.read_text()).substitute({**_COMMON, **values})


def write(template: Path, target: Path, **values: object) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(fill(template, **values))
