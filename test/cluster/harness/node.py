"""One node that runs pods: scheduler, containerd, kubelet, kube-proxy, cluster DNS and an image registry."""
import subprocess
from pathlib import Path

from harness import image, pki, template
from harness.control import component_arguments, component_healthy
from harness.part import Part, Service, Step, wait_until
from harness.settings import IP, NODE, REGISTRY, SOURCE, STATE
from harness.shell import answers, inside, succeeds
from harness.tools import COREDNS_VERSION, KUBERNETES_VERSION, built, tool

PAUSE_IMAGE = "localhost/pause:1"
_TEMPLATES = SOURCE / "kubernetes"
_SOCKET = STATE / "containerd/containerd.sock"
_CTR = ["ctr", "--address", str(_SOCKET), "--namespace", "k8s.io"]


def parts() -> list[Part]:
    return [
        Service("kube-scheduler", "node", ("kube-apiserver", built("kube-scheduler")), version=lambda: KUBERNETES_VERSION,
                argv=lambda: component_arguments("scheduler"), ready=lambda: component_healthy(10259)),
        Service("containerd", "node", ("network namespace",), version=lambda: debian_version("containerd"),
                prepare=_configure_containerd, argv=lambda: ["containerd", "--config", str(STATE / "containerd/config.toml")],
                ready=lambda: succeeds([*_CTR, "version"])),
        Step("pause image", "node", ("containerd",), done=_has_pause_image, run=_import_pause_image),
        Kubelet("kubelet", "node", ("kube-controller-manager", "kube-scheduler", "pause image", built("kubelet")),
                version=lambda: KUBERNETES_VERSION, prepare=lambda: _configure("kubelet.yaml"), argv=_kubelet_arguments,
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


def debian_version(package: str) -> str:
    query = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
    return query.stdout or "not installed"


def push(archive: Path, reference: str) -> None:
    """Pushes a docker-archive to the cluster's registry."""
    inside(["skopeo", "copy", "--quiet", "--dest-tls-verify=false", f"docker-archive:{archive}", f"docker://{reference}"])


class Kubelet(Service):
    """Pods live in containerd's shims, which outlive both the kubelet and containerd: going down ends them too."""

    def down(self) -> None:
        super().down()
        if not succeeds([*_CTR, "version"]):
            return
        for task in inside([*_CTR, "tasks", "list", "--quiet"]).stdout.split():
            inside([*_CTR, "tasks", "kill", "--signal", "SIGKILL", task], check=False)
        wait_until(lambda: "RUNNING" not in inside([*_CTR, "tasks", "list"]).stdout, 30)
        for task in inside([*_CTR, "tasks", "list", "--quiet"]).stdout.split():
            inside([*_CTR, "tasks", "delete", task], check=False)


def container_pids() -> dict[str, int]:
    """{container id: pid} of everything that runs in pods."""
    rows = [line.split() for line in inside([*_CTR, "tasks", "list"]).stdout.splitlines()[1:]]
    return {row[0]: int(row[1]) for row in rows if row[2] == "RUNNING"}


def _configure(name: str, target: str = "", **values: object) -> None:
    template.write(_TEMPLATES / name, STATE / (target or name), **values)


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


def _kubelet_arguments() -> list[str]:
    return [tool("kubelet"), f"--config={STATE}/kubelet.yaml", f"--kubeconfig={pki.kubeconfig('kubelet')}",
            f"--root-dir={STATE}/kubelet", f"--hostname-override={NODE}", f"--node-ip={IP}"]


def _node_ready() -> bool:
    """Both: the node's last word survives a dead kubelet for 40 s."""
    return answers("http://127.0.0.1:10248/healthz") and succeeds(
        [tool("kubectl"), "wait", "--for=condition=Ready", f"node/{NODE}", "--timeout=1s"])
