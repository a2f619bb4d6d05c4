"""Crossplane as its users have it: its own chart, installed by helm, running as pods."""
import json

from harness import image, node, tools
from harness.part import Part, PartFailed, Step, wait_until
from harness.settings import REGISTRY, STATE
from harness.shell import answers, inside
from harness.tools import CROSSPLANE_VERSION, built, tool

NAMESPACE = "crossplane-system"
_REPOSITORY = f"{REGISTRY}/crossplane/crossplane"
_DEPLOYMENTS = ("crossplane", "crossplane-rbac-manager")


def parts() -> list[Part]:
    return [
        Step("crossplane image", "crossplane", ("registry", built("crossplane-core"), "crossplane chart"),
             done=lambda: answers(f"http://{REGISTRY}/v2/crossplane/crossplane/manifests/{CROSSPLANE_VERSION}",
                                  "-H", "Accept: application/vnd.docker.distribution.manifest.v2+json"), run=_push_image),
        Crossplane("crossplane", "crossplane",
                   ("crossplane image", "kubelet", "kube-proxy", "coredns", built("helm"), built("crossplane"))),
    ]


class Crossplane(Part):
    """The chart's deployments. Pods belong to the node: there is nothing to stop here."""

    def up(self) -> bool:
        if self.state() == "ready":
            return False
        release = self._release_status()
        if release not in ("deployed", "absent"):  # an install that was interrupted never gets any further
            inside([tool("helm"), "uninstall", "crossplane", "--namespace", NAMESPACE, "--wait"])
        if release != "deployed":
            self._install()
        try:
            wait_until(lambda: self.state() == "ready", 180)
        except PartFailed as problem:
            raise PartFailed(f"{problem}\n{self._why()}") from None
        return True

    def state(self) -> str:
        """Ready when a pod of each deployment says so and its container runs: a pod's last word outlives its node."""
        running = node.container_pids()
        ready = {_app(pod) for pod, status in _containers() if status["ready"] and _container_id(status) in running}
        missing = [name for name in _DEPLOYMENTS if name not in ready]
        return f"not ready: {', '.join(missing)}" if missing else "ready"

    def containers(self) -> list[tuple[str, str, str, int, str]]:
        """Name, version, state, pid and log of each container."""
        running = node.container_pids()
        return [(f"pod/{_app(pod)}", status["image"].rpartition(":")[2],
                 "ready" if status["ready"] and _container_id(status) in running else "not ready",
                 running.get(_container_id(status), 0), f"kubectl -n {NAMESPACE} logs {pod['metadata']['name']}")
                for pod, status in _containers()]

    @staticmethod
    def _release_status() -> str:
        answer = inside([tool("helm"), "status", "crossplane", "--namespace", NAMESPACE, "--output=json"], check=False)
        return json.loads(answer.stdout)["info"]["status"] if answer.returncode == 0 else "absent"

    @staticmethod
    def _install() -> None:
        inside([tool("helm"), "install", "crossplane", str(tools.crossplane_files() / "charts/crossplane"),
                "--namespace", NAMESPACE, "--create-namespace", "--set", f"image.repository={_REPOSITORY}",
                "--set", f"image.tag={CROSSPLANE_VERSION}"])

    @staticmethod
    def _why() -> str:
        pods = inside([tool("kubectl"), "--namespace", NAMESPACE, "get", "pods,events"], check=False).stdout
        logs = inside([tool("kubectl"), "--namespace", NAMESPACE, "logs", "deployment/crossplane", "--tail=12"], check=False)
        return f"{pods}\nthe last lines of its log:\n{logs.stdout}{logs.stderr}"


def _containers() -> list[tuple[dict, dict]]:
    """(pod, container status) for every container in Crossplane's namespace; none while the API server does not answer."""
    answer = inside([tool("kubectl"), "--namespace", NAMESPACE, "get", "pods", "--output=json"], check=False)
    pods = json.loads(answer.stdout)["items"] if answer.returncode == 0 else []
    return [(pod, status) for pod in pods for status in pod["status"].get("containerStatuses", [])]


def _app(pod: dict) -> str:
    return pod["metadata"]["labels"].get("app", pod["metadata"]["name"])


def _container_id(status: dict) -> str:
    return status.get("containerID", "").rpartition("/")[2]


def _push_image() -> None:
    files = tools.crossplane_files()
    archive = STATE / "images/crossplane.tar"
    image.write_image(archive, f"{_REPOSITORY}:{CROSSPLANE_VERSION}", {
        "/usr/local/bin/crossplane": tools.TOOLS["crossplane-core"].path,
        "/crds": files / "crds",
        "/webhookconfigurations": files / "webhookconfigurations",
    }, "/usr/local/bin/crossplane")
    node.push(archive, f"{_REPOSITORY}:{CROSSPLANE_VERSION}")
    archive.unlink()
