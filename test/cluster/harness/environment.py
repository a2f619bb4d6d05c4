"""What a program needs in its environment to find the cluster: for `cluster exec`, and in a file for the tests."""
import os

from harness import tools
from harness.settings import CLOUDS_YAML, ENV_FILE, IP, KUBECONFIG, LOGS, NETNS_FILE, REGISTRY, SOURCE, STATE

# A proxy can't be reached from inside the namespace, and a sourced openrc would point at another cloud.
_UNWANTED = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


def variables() -> dict[str, str]:
    directories = list(dict.fromkeys(str(tool.directory) for tool in tools.TOOLS.values()))
    return {
        # Debian's directories before the caller's: the openstack command must meet Debian's Python, not another.
        "PATH": ":".join([*directories, "/usr/sbin:/usr/bin:/sbin:/bin", os.environ.get("PATH", "")]),
        "KUBECONFIG": str(KUBECONFIG),
        # kubectl remembers what an API server has by its address, and all test clusters have the same.
        "KUBECACHEDIR": str(STATE / "kube-cache"),
        "OS_CLIENT_CONFIG_FILE": str(CLOUDS_YAML),
        "OS_CLOUD": "demo",
        "KUPENSTACK_NETNS": str(NETNS_FILE),
        "KUPENSTACK_REGISTRY": REGISTRY,
        "KUPENSTACK_IP": IP,
        "KUPENSTACK_SOURCE": str(SOURCE),
        "KUPENSTACK_STATE": str(STATE),
        "KUPENSTACK_LOGS": str(LOGS),
        "KUPENSTACK_KUBERNETES_VERSION": tools.KUBERNETES_VERSION,
    }


def write() -> None:
    ENV_FILE.write_text("".join(f"{name}={value}\n" for name, value in variables().items()))


def complete() -> dict[str, str]:
    """The caller's environment, less what would lead astray, with the cluster's variables."""
    kept = {name: value for name, value in os.environ.items()
            if name.lower() not in _UNWANTED and not name.startswith("OS_")}
    return {**kept, **variables()}
