"""Where things live and which addresses they use. Nothing here depends on the machine but the user's home."""
import hashlib
import os
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
REPOSITORY = SOURCE.parent.parent


def _xdg(variable: str, fallback: str) -> Path:
    return Path(os.environ.get(variable) or Path.home() / fallback) / "kupenstack"


# Cache survives everything (binaries, migrated databases); state is one running cluster and may be wiped.
CACHE = Path(os.environ.get("KUPENSTACK_CACHE") or _xdg("XDG_CACHE_HOME", ".cache")).resolve()
STATE = Path(os.environ.get("KUPENSTACK_STATE") or _xdg("XDG_STATE_HOME", ".local/state")).resolve()
LOGS = STATE / "log"
RUN = STATE / "run"
PKI = STATE / "pki"
KUBECONFIG = STATE / "admin.kubeconfig"
CLOUDS_YAML = STATE / "clouds.yaml"
ENV_FILE = STATE / "env"

# Each state directory has a namespace of its own, so that a second cluster does not get in the way of the first.
NETNS = f"kupenstack-{hashlib.sha256(str(STATE).encode()).hexdigest()[:8]}"
NETNS_FILE = Path("/var/run/netns") / NETNS

# One address that processes and pods both reach. It lives on the namespace's loopback, so nothing outside sees it.
# Being RFC 1918, go-containerregistry (Crossplane's package manager) speaks plain http to it.
IP = "172.30.0.1"
REGISTRY = f"{IP}:5000"
API_SERVER = f"https://{IP}:6443"
NODE = "node1"
SERVICE_CIDR = "10.96.0.0/16"
FIRST_SERVICE_IP = "10.96.0.1"
POD_CIDR = "10.244.0.0/24"

# A second Python, Go or MariaDB earlier in PATH must not get in: Debian's OpenStack needs Debian's Python.
SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
