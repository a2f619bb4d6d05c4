"""ORC, the OpenStack Resource Controller, to compare with: built from its pinned module, run with its default settings."""
from pathlib import Path

from harness import tools
from harness.progress import say
from harness.settings import KUBECONFIG
from measure.api import Api, Item, collection, manifest
from measure.cloud import USER, Cloud
from measure.contender import SECRET, Contender, credentials, flavor_of, image_of
from measure.process import Controller
from measure.watch import Watch, is_true

_MODULE = "github.com/k-orc/openstack-resource-controller/v2"
_TOOL = tools.Tool("orc", "orc", f"{_MODULE}/cmd/manager", Path(__file__).resolve().parent.parent)
VERSION = tools.pinned(_TOOL.source, _MODULE)
NAME = f"ORC {VERSION}"

_API = "openstack.k-orc.cloud/v1alpha1"
KINDS = ("servers", "ports", "networks", "flavors", "images")
_CREDENTIALS = {"cloudName": USER, "secretName": SECRET}


def build() -> None:
    """What is not there yet of the program and of its CRDs, which lie in its module."""
    if not _TOOL.path.exists():
        say(f"building {NAME}: a few minutes")
        tools.build(_TOOL)
    if not _crds().exists():
        tools.keep_module_files(_TOOL, _MODULE, "config/crd/bases", _crds())


def collections() -> list[str]:
    return [collection(_API, plural) for plural in KINDS]


def _crds() -> Path:
    return _TOOL.directory / "orc-crds"


def _start() -> Controller:
    # The addresses alone are ours: by default it listens for health probes everywhere.
    return Controller("orc", [_TOOL.path, f"--kubeconfig={KUBECONFIG}", "--health-probe-bind-address=127.0.0.1:18081"])


def _is_ready(item: dict) -> bool:
    return is_true(item, "Available")


def _managed(plural: str, kind: str, name: str, resource: dict) -> Item:
    return Item(plural, manifest(_API, kind, name, spec={
        "cloudCredentialsRef": _CREDENTIALS, "managementPolicy": "managed", "resource": resource}))


def _imported(plural: str, kind: str, identity: str) -> Item:
    return Item(plural, manifest(_API, kind, "given", spec={
        "cloudCredentialsRef": _CREDENTIALS, "managementPolicy": "unmanaged", "import": {"id": identity}}))


def _prepare(api: Api, cloud: Cloud) -> None:
    api.create(credentials(cloud))
    for item in (_imported("flavors", "Flavor", flavor_of(cloud)), _imported("images", "Image", image_of(cloud)),
                 _imported("networks", "Network", cloud.make_network())):
        with Watch(api, item.collection, _is_ready) as watch:
            api.create(item)
            watch.await_ready(["given"], 60, f"ORC's {item.plural}")


def _network(name: str) -> list[Item]:
    return [_managed("networks", "Network", name, {"name": name})]


def _machine(name: str) -> list[Item]:
    """Its servers take no network but a Port."""
    return [_managed("ports", "Port", name, {"networkRef": "given"}),
            _managed("servers", "Server", name, {"imageRef": "given", "flavorRef": "given", "ports": [{"portRef": name}]})]


def contender() -> Contender:
    return Contender(NAME, "orc/", _crds(), _start, _prepare, _is_ready, _network, _machine)


