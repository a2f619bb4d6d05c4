"""Go programs built from the pinned modules in tools/, kept outside the checkout by the hash of what pins them."""
import hashlib
import os
import shutil
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path

from harness.part import Part, PartFailed, Step
from harness.settings import CACHE, SOURCE



def _pinned(module: str, requirement: str) -> str:
    """The version of a requirement in the go.mod of a directory of tools/: that file is where versions are decided."""
    for line in (SOURCE / "tools" / module / "go.mod").read_text().splitlines():
        words = line.removeprefix("require ").split()
        if words[:1] == [requirement]:
            return words[1]
    raise KeyError(f"{requirement} is not in tools/{module}/go.mod")


KUBERNETES_VERSION = _pinned("kubernetes", "k8s.io/kubernetes")
CROSSPLANE_VERSION = _pinned("kubernetes", "github.com/crossplane/crossplane/v2")
COREDNS_VERSION = _pinned("kubernetes", "github.com/coredns/coredns")
HELM_VERSION = _pinned("kubernetes", "helm.sh/helm/v3")
ETCD_VERSION = _pinned("etcd", "go.etcd.io/etcd/server/v3")
_MAJOR, _MINOR, _ = KUBERNETES_VERSION.removeprefix("v").split(".")

# Without these Kubernetes calls itself v0.0.0, and Crossplane refuses every package that names a version.
_LDFLAGS = " ".join(["-s", "-w"] + [f"-X {name}={value}" for name, value in {
    "k8s.io/component-base/version.gitVersion": KUBERNETES_VERSION,
    "k8s.io/component-base/version.gitMajor": _MAJOR,
    "k8s.io/component-base/version.gitMinor": _MINOR,
    "github.com/crossplane/crossplane-runtime/v2/pkg/version.version": CROSSPLANE_VERSION,
    "helm.sh/helm/v3/internal/version.version": HELM_VERSION,
}.items()])

# One build at a time: each uses all cores, and the packages that two programs share are compiled once.
_one_build = threading.Lock()


@dataclass(frozen=True)
class Tool:
    name: str
    module: str
    package: str

    @property
    def directory(self) -> Path:
        digest = hashlib.sha256(_LDFLAGS.encode())
        for file in sorted((SOURCE / "tools" / self.module).rglob("*")):
            if file.is_file():
                digest.update(file.read_bytes())
        return CACHE / "tools" / f"{self.module}-{digest.hexdigest()[:16]}"

    @property
    def path(self) -> Path:
        return self.directory / self.name


# In the order in which they are wanted: the control plane first, so that it starts while the rest is built.
TOOLS = {tool.name: tool for tool in (
    Tool("etcd", "etcd", "go.etcd.io/etcd/server/v3"),
    Tool("kube-apiserver", "kubernetes", "k8s.io/kubernetes/cmd/kube-apiserver"),
    Tool("kubectl", "kubernetes", "k8s.io/kubernetes/cmd/kubectl"),
    Tool("kube-controller-manager", "kubernetes", "k8s.io/kubernetes/cmd/kube-controller-manager"),
    Tool("kube-scheduler", "kubernetes", "k8s.io/kubernetes/cmd/kube-scheduler"),
    Tool("kubelet", "kubernetes", "k8s.io/kubernetes/cmd/kubelet"),
    Tool("kube-proxy", "kubernetes", "k8s.io/kubernetes/cmd/kube-proxy"),
    Tool("coredns", "kubernetes", "./coredns"),
    Tool("helm", "kubernetes", "helm.sh/helm/v3/cmd/helm"),
    Tool("crossplane-core", "kubernetes", "github.com/crossplane/crossplane/v2/cmd/crossplane"),
    Tool("crossplane", "kubernetes", "github.com/crossplane/cli/v2/cmd/crossplane"),
)}


def tool(name: str) -> str:
    return str(TOOLS[name].path)


def built(name: str) -> str:
    """The name of the part that builds a tool."""
    return f"build {name}"


def parts() -> list[Part]:
    steps: list[Part] = []
    for item in TOOLS.values():
        # Each waits for the one before it, so that they are built in the order above.
        before = (steps[-1].name,) if steps else ()
        steps.append(Step(built(item.name), "tools", before, done=item.path.exists, run=lambda item=item: _build(item)))
    steps.append(Step("crossplane chart", "tools", done=lambda: crossplane_files().exists(), run=_keep_crossplane_files))
    return steps


def crossplane_files() -> Path:
    """Crossplane's chart, CRDs and webhook configurations, as they lie in its module."""
    return TOOLS["crossplane-core"].directory / "crossplane-cluster"


def _go(module: str, *arguments: str) -> str:
    go = shutil.which("go", path=f"{os.environ.get('PATH', '')}:/usr/local/go/bin")
    if not go:
        raise PartFailed("Go is not installed: Kubernetes and Crossplane are built from Go modules (Go 1.26 or later)")
    environment = {**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly -buildvcs=false", "GOWORK": "off"}
    result = subprocess.run([go, *arguments], cwd=SOURCE / "tools" / module, env=environment, capture_output=True, text=True)
    if result.returncode != 0:
        raise PartFailed(f"go {arguments[0]} in tools/{module} failed:\n{result.stderr.strip()[-3000:]}")
    return result.stdout.strip()


def _build(item: Tool) -> None:
    item.directory.mkdir(parents=True, exist_ok=True)
    unfinished = item.path.with_suffix(f".{os.getpid()}")
    with _one_build:
        _go(item.module, "build", "-trimpath", "-ldflags", _LDFLAGS, "-o", str(unfinished), item.package)
    unfinished.rename(item.path)
    keep_newest(item.directory.parent, f"{item.module}-*")


def keep_newest(directory: Path, pattern: str, count: int = 3) -> None:
    """Removes all but the newest of what a cache holds by hash."""
    for old in sorted(directory.glob(pattern), key=lambda path: path.stat().st_mtime, reverse=True)[count:]:
        shutil.rmtree(old, ignore_errors=True)


def _keep_crossplane_files() -> None:
    """Copied beside the binaries: they must be there even when Go's module cache is gone."""
    module = _go("kubernetes", "list", "-m", "-f", "{{.Dir}}", "github.com/crossplane/crossplane/v2")
    if not module:
        _go("kubernetes", "mod", "download", "github.com/crossplane/crossplane/v2")
        module = _go("kubernetes", "list", "-m", "-f", "{{.Dir}}", "github.com/crossplane/crossplane/v2")
    target = crossplane_files()
    unfinished = target.with_suffix(f".{os.getpid()}")
    shutil.copytree(Path(module) / "cluster", unfinished)
    subprocess.run(["chmod", "-R", "u+w", str(unfinished)], check=True)  # the module cache is read-only
    unfinished.rename(target)
