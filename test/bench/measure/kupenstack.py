"""Our provider, as it comes: the release build with its default settings."""
from harness.settings import REPOSITORY
from measure.api import NAMESPACE, Api, Item, collection, manifest
from measure.cloud import USER, Cloud
from measure.contender import SECRET, Contender, credentials, flavor_of, image_of
from measure.process import Controller
from measure.watch import is_true

PROGRAM = REPOSITORY / "build/release/provider/cmd/provider-kupenstack"
CRDS = REPOSITORY / "package/crds"
NAME = "provider-kupenstack"
METRICS = "127.0.0.1:18080"
POLL_SECONDS = 30.0
CONFIG = "mine"

_CONFIG = "m.kupenstack.io/v1alpha1"
_NETWORK = "network.m.kupenstack.io/v1alpha1"
_COMPUTE = "compute.m.kupenstack.io/v1alpha1"
NETWORKS = collection(_NETWORK, "networks")
MACHINES = collection(_COMPUTE, "virtualmachines")


def start(*arguments: str, name: str = NAME) -> Controller:
    # The simulated cloud is on loopback, where credentials of tenants may not lead otherwise.
    argv = [PROGRAM, "--allow-address=127.0.0.0/8", f"--metrics-address={METRICS}", *arguments]
    return Controller(name, argv, {"POD_NAMESPACE": NAMESPACE})


def is_ready(item: dict) -> bool:
    return is_true(item, "Ready") and is_true(item, "Synced")


def config(secret: str = SECRET, name: str = CONFIG) -> Item:
    source = {"source": "Secret", "secretRef": {"name": secret}, "cloud": USER}
    return Item("providerconfigs", manifest(_CONFIG, "ProviderConfig", name, spec={"credentials": source}))


def network(name: str, config_name: str = CONFIG) -> list[Item]:
    return [Item("networks", manifest(_NETWORK, "Network", name, spec=_spec(config_name, {"name": name})))]


def _spec(config_name: str, parameters: dict) -> dict:
    return {"providerConfigRef": {"kind": "ProviderConfig", "name": config_name}, "forProvider": parameters}


class Kupenstack:
    """Machines are on a network that is given by its id: Nova makes their ports."""

    def __init__(self):
        self._machine: dict = {}

    def contender(self) -> Contender:
        return Contender(NAME, NAME, CRDS, lambda: start("--leader-election"), self._prepare, is_ready, network,
                         self._make_machine)

    def _prepare(self, api: Api, cloud: Cloud) -> None:
        api.create(credentials(cloud))
        api.create(config())
        self._machine = {"flavorID": flavor_of(cloud), "imageID": image_of(cloud),
                         "networks": [{"networkID": cloud.make_network()}]}

    def _make_machine(self, name: str) -> list[Item]:
        spec = _spec(CONFIG, self._machine)
        return [Item("virtualmachines", manifest(_COMPUTE, "VirtualMachine", name, spec=spec))]
