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
        if not inside([tool("helm"), "status", "crossplane", "--namespace", NAMESPACE], check=False).returncode == 0:
            self._install()
        try:
            wait_until(lambda: self.state() == "ready", 180)
        except PartFailed as problem:
            raise PartFailed(f"{problem}\n{self._why()}") from None
        return True

    def state(self) -> str:
        """Ready when each deployment has an available pod, and that pod's containers are ready now."""
        answer = inside([tool("kubectl"), "--namespace", NAMESPACE, "get", "pods", "--output=json"], check=False)
        if answer.returncode != 0:
            return "unknown: the API server does not answer"
        ready = {item["metadata"]["labels"].get("app") for item in json.loads(answer.stdout)["items"]
                 if all(status["ready"] for status in item["status"].get("containerStatuses", [{"ready": False}]))}
        missing = [name for name in _DEPLOYMENTS if name not in ready]
        return f"not ready: {', '.join(missing)}" if missing else "ready"

    def rows(self) -> list[tuple[str, str, str, int, str]]:
        """A row of `cluster status` for each container of each pod."""
        pids = node.container_pids()
        pods = inside([tool("kubectl"), "--namespace", NAMESPACE, "get", "pods", "--output=json"], check=False)
        if pods.returncode != 0:
            return []
        return [_row(pod, status, pids) for pod in json.loads(pods.stdout)["items"]
                for status in pod["status"].get("containerStatuses", [])]

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


def _row(pod: dict, status: dict, pids: dict[str, int]) -> tuple[str, str, str, int, str]:
    pid = pids.get(status.get("containerID", "").rpartition("/")[2])
    name = f"pod/{pod['metadata']['labels'].get('app', pod['metadata']['name'])}"
    log = f"kubectl -n {NAMESPACE} logs {pod['metadata']['name']}"
    return name, status["image"].rpartition(":")[2], "ready" if status["ready"] else "not ready", pid or 0, log


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
