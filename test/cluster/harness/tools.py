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

_TOOLS = SOURCE / "tools"


def pinned(directory: Path, requirement: str) -> str:
    """The version of a requirement in a directory's go.mod: that file is where versions are decided."""
    for line in (directory / "go.mod").read_text().splitlines():
        words = line.removeprefix("require ").split()
        if words[:1] == [requirement]:
            return words[1]
    raise KeyError(f"{requirement} is not in {directory}/go.mod")


KUBERNETES_VERSION = pinned(_TOOLS / "kubernetes", "k8s.io/kubernetes")
CROSSPLANE_VERSION = pinned(_TOOLS / "kubernetes", "github.com/crossplane/crossplane/v2")
COREDNS_VERSION = pinned(_TOOLS / "kubernetes", "github.com/coredns/coredns")
HELM_VERSION = pinned(_TOOLS / "kubernetes", "helm.sh/helm/v3")
ETCD_VERSION = pinned(_TOOLS / "etcd", "go.etcd.io/etcd/server/v3")
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
    # Where the module lies; the bench has one of its own.
    modules: Path = _TOOLS

    @property
    def source(self) -> Path:
        return self.modules / self.module

    @property
    def directory(self) -> Path:
        digest = hashlib.sha256(_LDFLAGS.encode())
        for file in sorted(self.source.rglob("*")):
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
        steps.append(Step(built(item.name), "tools", before, done=item.path.exists, run=lambda item=item: build(item)))
    steps.append(Step("crossplane chart", "tools", done=lambda: crossplane_files().exists(), run=_keep_crossplane_files))
    return steps


def crossplane_files() -> Path:
    """Crossplane's chart, CRDs and webhook configurations, as they lie in its module."""
    return TOOLS["crossplane-core"].directory / "crossplane-cluster"


def _go(directory: Path, *arguments: str) -> str:
    go = shutil.which("go", path=f"{os.environ.get('PATH', '')}:/usr/local/go/bin")
    if not go:
        raise PartFailed("Go is not installed: Kubernetes and Crossplane are built from Go modules (Go 1.26 or later)")
    environment = {**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly -buildvcs=false", "GOWORK": "off"}
    result = subprocess.run([go, *arguments], cwd=directory, env=environment, capture_output=True, text=True)
    if result.returncode != 0:
        raise PartFailed(f"go {arguments[0]} in {directory} failed:\n{result.stderr.strip()[-3000:]}")
    return result.stdout.strip()


def build(item: Tool) -> None:
    item.directory.mkdir(parents=True, exist_ok=True)
    unfinished = item.path.with_suffix(f".{os.getpid()}")
    with _one_build:
        _go(item.source, "build", "-trimpath", "-ldflags", _LDFLAGS, "-o", str(unfinished), item.package)
    unfinished.rename(item.path)
    keep_newest(item.directory.parent, f"{item.module}-*")


def keep_newest(directory: Path, pattern: str, count: int = 3) -> None:
    """Removes all but the newest of what a cache holds by hash."""
    for old in sorted(directory.glob(pattern), key=lambda path: path.stat().st_mtime, reverse=True)[count:]:
        shutil.rmtree(old, ignore_errors=True)


def _keep_crossplane_files() -> None:
    keep_module_files(TOOLS["crossplane-core"], "github.com/crossplane/crossplane/v2", "cluster", crossplane_files())


def keep_module_files(item: Tool, module: str, inside: str, target: Path) -> None:
    """A directory of a module, copied beside the binaries: it must be there even when Go's module cache is gone."""
    where = ("list", "-m", "-f", "{{.Dir}}", module)
    if not _go(item.source, *where):
        _go(item.source, "mod", "download", module)
    unfinished = target.with_suffix(f".{os.getpid()}")
    shutil.copytree(Path(_go(item.source, *where)) / inside, unfinished)
    subprocess.run(["chmod", "-R", "u+w", str(unfinished)], check=True)  # the module cache is read-only
    unfinished.rename(target)
