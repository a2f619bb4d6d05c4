"""One node that runs pods: scheduler, containerd, kubelet, kube-proxy, cluster DNS and an image registry."""
import os
import subprocess
from pathlib import Path

from harness import image, pki, template
from harness.control import component_arguments, component_healthy
from harness.daemon import Daemon
from harness.packages import debian_version
from harness.part import Part, PartFailed, Service, Step, wait_until
from harness.settings import IP, NETNS, NODE, REGISTRY, SOURCE, STATE
from harness.shell import answers, inside, succeeds
from harness.tools import COREDNS_VERSION, KUBERNETES_VERSION, built, tool

PAUSE_IMAGE = "localhost/pause:1"
_TEMPLATES = SOURCE / "kubernetes"
_SOCKET = STATE / "containerd/containerd.sock"
_OWNER = Path("/run/kupenstack-node")
_CTR = ["ctr", "--address", str(_SOCKET), "--namespace", "k8s.io"]


def parts() -> list[Part]:
    return [
        Service("kube-scheduler", "node", ("kube-apiserver", built("kube-scheduler")), version=lambda: KUBERNETES_VERSION,
                argv=lambda: component_arguments("scheduler"), ready=lambda: component_healthy(10259)),
        _containerd(),
        Step("pause image", "node", ("containerd",), done=_has_pause_image, run=_import_pause_image),
        Kubelet("kubelet", "node", ("kube-controller-manager", "kube-scheduler", "pause image", built("kubelet")),
                version=lambda: KUBERNETES_VERSION, prepare=_prepare_kubelet, argv=_kubelet_arguments,
                ready=_node_ready, seconds=90),
        Service("kube-proxy", "node", ("kube-apiserver", built("kube-proxy")), version=lambda: KUBERNETES_VERSION,
                prepare=lambda: _configure("kube-proxy.yaml"), ready=lambda: answers("http://127.0.0.1:10256/livez"),
                argv=lambda: [tool("kube-proxy"), f"--config={STATE}/kube-proxy.yaml", f"--hostname-override={NODE}"]),
        Service("coredns", "node", ("kube-apiserver", built("coredns")), version=lambda: COREDNS_VERSION,
                prepare=lambda: _configure("Corefile"), argv=lambda: [tool("coredns"), "-conf", str(STATE / "Corefile")],
                ready=lambda: answers("http://127.0.0.1:8181/ready")),
        Service("registry", "node", ("network namespace",), version=lambda: debian_version("docker-registry"),
                prepare=lambda: _configure("registry.yaml"), ready=lambda: answers(f"http://{REGISTRY}/v2/"),
                argv=lambda: ["docker-registry", "serve", str(STATE / "registry.yaml")]),
    ]


def _containerd() -> Service:
    return Service("containerd", "node", ("network namespace",), version=lambda: debian_version("containerd"),
                   prepare=_configure_containerd, argv=lambda: ["containerd", "--config", str(STATE / "containerd/config.toml")],
                   ready=is_up)


def push(archive: Path, reference: str) -> None:
    """Pushes a docker-archive to the cluster's registry."""
    inside(["skopeo", "copy", "--quiet", "--dest-tls-verify=false", f"docker-archive:{archive}", f"docker://{reference}"])


class Kubelet(Service):
    """Pods live in containerd's shims, which outlive both the kubelet and containerd: going down ends them too."""

    def down(self) -> None:
        super().down()
        if not _shims():
            return
        containerd = _containerd()
        containerd.up()  # it may be dead, and only it can end what it started
        for task in _tasks():
            inside([*_CTR, "tasks", "kill", "--signal", "SIGKILL", task], check=False)
        wait_until(lambda: "RUNNING" not in inside([*_CTR, "tasks", "list"]).stdout, 30)
        for task in _tasks():
            inside([*_CTR, "tasks", "delete", task], check=False)


def _tasks() -> list[str]:
    return inside([*_CTR, "tasks", "list", "--quiet"]).stdout.split()


def _shims() -> list[int]:
    """The pids of the processes that hold this cluster's containers: they name containerd's socket."""
    found = []
    for command_line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = command_line.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"containerd-shim" in words[0] and str(_SOCKET).encode() in words:
            found.append(int(command_line.parent.name))
    return found


def forget_pods() -> None:
    """Removes what pods leave outside the state directory: links to their logs, their addresses, their empty cgroups."""
    for link in Path("/var/log/containers").glob("*.log"):
        if str(os.readlink(link)).startswith(f"{STATE}/"):
            link.unlink()
    for result in Path("/var/lib/cni/results").glob(f"{NETNS}-*"):
        result.unlink()
    for group in sorted(Path("/sys/fs/cgroup").glob("*/kubepods/**/"), reverse=True):
        try:
            group.rmdir()
        except OSError:
            pass  # not empty: another cluster's


def is_up() -> bool:
    return succeeds([*_CTR, "version"])


def container_pids() -> dict[str, int]:
    """{container id: pid} of everything that runs in pods."""
    rows = [line.split() for line in inside([*_CTR, "tasks", "list"]).stdout.splitlines()[1:]]
    return {row[0]: int(row[1]) for row in rows if row[2] == "RUNNING"}


def _configure(name: str, target: str = "", **values: object) -> None:
    template.write(_TEMPLATES / name, STATE / (target or name), netns=NETNS, **values)


def _configure_containerd() -> None:
    _configure("containerd.toml", "containerd/config.toml", pause_image=PAUSE_IMAGE)
    _configure("registry-hosts.toml", f"containerd/certs.d/{REGISTRY}/hosts.toml")
    _configure("cni.conflist", "cni/10-pods.conflist")


def _has_pause_image() -> bool:
    return PAUSE_IMAGE in inside([*_CTR, "images", "list", "--quiet"]).stdout.split()


def _import_pause_image() -> None:
    binary, archive = STATE / "images/pause", STATE / "images/pause.tar"
    binary.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["gcc", "-static", "-Os", "-s", "-o", str(binary), str(_TEMPLATES / "pause.c")], check=True)
    image.write_image(archive, PAUSE_IMAGE, {"/pause": binary}, "/pause", user="65535")
    inside([*_CTR, "images", "import", str(archive)])


def _prepare_kubelet() -> None:
    """Kubelets share the machine's cgroups, and each ends pods that it does not know: a machine has room for one."""
    owner = Path(_OWNER.read_text()) if _OWNER.exists() else STATE
    if owner != STATE and Daemon("kubelet", owner).pid():
        raise PartFailed(f"this machine's node belongs to the cluster of {owner}: take that down first "
                         f"(KUPENSTACK_STATE={owner} make cluster-down)")
    _OWNER.write_text(str(STATE))
    _configure("kubelet.yaml")


def _kubelet_arguments() -> list[str]:
    return [tool("kubelet"), f"--config={STATE}/kubelet.yaml", f"--kubeconfig={pki.kubeconfig('kubelet')}",
            f"--root-dir={STATE}/kubelet", f"--hostname-override={NODE}", f"--node-ip={IP}"]


def _node_ready() -> bool:
    """Both: the node's last word survives a dead kubelet for 40 s."""
    return answers("http://127.0.0.1:10248/healthz") and succeeds(
        [tool("kubectl"), "wait", "--for=condition=Ready", f"node/{NODE}", "--timeout=1s"])
