"""Who is measured: how a controller is started, and what it is given to make."""
import base64
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from measure.api import Api, Item, manifest
from measure.cloud import Cloud
from measure.process import Controller

SECRET = "cloud"


@dataclass(frozen=True)
class Contender:
    # As people read it, and as its user agent begins in the audit log.
    name: str
    agent: str
    # Installed before it starts.
    crds: Path
    start: Callable[[], Controller]
    # What has to be there before its objects: credentials, and what machines refer to.
    prepare: Callable[[Api, Cloud], None]
    is_ready: Callable[[dict], bool]
    # Of each name: the object that is counted comes last.
    network: Callable[[str], list[Item]]
    machine: Callable[[str], list[Item]]

    def load(self, kind: str, prefix: str, count: int) -> "Load":
        return Load(self.network if kind == "network" else self.machine, [f"{prefix}-{i}" for i in range(count)])


@dataclass(frozen=True)
class Load:
    """Many objects of a kind, with what each of them needs for itself."""
    make: Callable[[str], list[Item]]
    names: list[str]

    def items(self) -> Iterator[Item]:
        for name in self.names:
            yield from self.make(name)

    @property
    def collection(self) -> str:
        """Of those that are counted."""
        return self.make(self.names[0])[-1].collection


def credentials(cloud: Cloud, name: str = SECRET) -> Item:
    text = base64.b64encode(cloud.clouds_yaml().encode()).decode()
    return Item("secrets", manifest("v1", "Secret", name, data={"clouds.yaml": text}))


def flavor_of(cloud: Cloud) -> str:
    return cloud.send("GET", "/compute/v2.1/flavors")["flavors"][0]["id"]


def image_of(cloud: Cloud) -> str:
    return cloud.send("GET", "/image/v2/images")["images"][0]["id"]


