"""All parts together: up, down and away."""
import hashlib
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harness import control, crossplane, environment, namespace, node, openstack, tools
from harness.lock import exclusive
from harness.part import NotStarted, Part, PartFailed, Service, bring_up, closure
from harness.progress import say
from harness.settings import REPOSITORY, SOURCE, STATE

GROUPS = ("control", "node", "crossplane", "openstack")
_FINGERPRINT = STATE / "fingerprint"


def all_parts() -> dict[str, Part]:
    modules = (tools, control, node, crossplane, openstack)
    return {part.name: part for module in modules for part in module.parts()}


def up(groups: list[str]) -> None:
    with exclusive("cluster"):
        parts = all_parts()
        _claim_state(parts)
        _install_packages(groups)
        environment.write()
        wanted = closure(parts, [part.name for part in parts.values() if part.group in groups])
        failures = bring_up(wanted)
    if failures:
        raise PartFailed(explain(failures))
    services = sum(isinstance(part, Service) for part in wanted)
    say(f"cluster up: {' '.join(groups)} ready ({services} services)")


def down() -> None:
    with exclusive("cluster"):
        _stop(all_parts())
    say("cluster down: nothing runs, state is kept (wipe removes it)")


def wipe() -> None:
    with exclusive("cluster"):
        _remove_state(all_parts())
    say("cluster wiped: nothing runs, no state is left; built binaries and the database cache are kept")


def running() -> bool:
    return any(isinstance(part, Service) and part.daemon.pid() for part in all_parts().values())


def explain(failures: dict[str, PartFailed]) -> str:
    causes = [f"{name}: {problem}" for name, problem in failures.items() if not isinstance(problem, NotStarted)]
    waiting = [name for name, problem in failures.items() if isinstance(problem, NotStarted)]
    text = "\n\n".join(causes)
    return f"{text}\n\nnot started because of that: {', '.join(waiting)}" if waiting else text


def _fingerprint() -> str:
    """Changes with anything that shapes the cluster's state, so that no state of another version is ever reused."""
    digest = hashlib.sha256()
    for file in sorted(path for path in SOURCE.rglob("*") if path.is_file()):
        inner = file.relative_to(SOURCE)
        hidden = any(part.startswith(".") for part in inner.parts)
        if not hidden and file.suffix != ".md" and not {"__pycache__", "tests"} & set(inner.parts):
            digest.update(str(inner).encode() + file.read_bytes())
    return digest.hexdigest()


def _claim_state(parts: dict[str, Part]) -> None:
    """Makes the state directory ours: new, or left by this very version of test/cluster."""
    if _FINGERPRINT.exists() and _FINGERPRINT.read_text() != _fingerprint():
        say("test/cluster has changed since this state was made: starting afresh")
        _remove_state(parts)
    _refuse_foreign_directory()
    STATE.mkdir(parents=True, exist_ok=True)
    _FINGERPRINT.write_text(_fingerprint())


def _refuse_foreign_directory() -> None:
    if STATE.exists() and any(STATE.iterdir()) and not _FINGERPRINT.exists():
        raise PartFailed(f"{STATE} has files in it that are not a cluster's state: give KUPENSTACK_STATE another directory")


def _install_packages(groups: list[str]) -> None:
    sections = {"control": ["control"], "node": ["control", "node"], "crossplane": ["control", "node"],
                "openstack": ["control", "openstack"]}
    wanted = dict.fromkeys(section for group in groups for section in sections[group])
    if subprocess.run([str(REPOSITORY / "scripts/install-packages"), *wanted]).returncode != 0:
        raise PartFailed("packages are missing, see above")


def _stop(parts: dict[str, Part]) -> None:
    """In waves: whoever nobody needs any more, all at once. A part that can't be stopped must not keep the others running."""
    def stop(part: Service) -> None:
        try:
            part.down()
        except Exception as problem:
            say(f"{part.name}: {problem}")

    services = [part for part in parts.values() if isinstance(part, Service) and part.daemon.remembered()]
    needs = {part.name: {need.name for need in closure(parts, part.needs)} for part in services}
    while services:
        wave = [part for part in services if not any(part.name in needs[other.name] for other in services)]
        with ThreadPoolExecutor(max_workers=len(wave)) as pool:
            list(pool.map(stop, wave))
        services = [part for part in services if part not in wave]


def _remove_state(parts: dict[str, Part]) -> None:
    _refuse_foreign_directory()
    _stop(parts)
    for mount in sorted(_mounts_below(STATE), reverse=True):
        subprocess.run(["umount", "--lazy", mount], capture_output=True)
    node.forget_pods()
    if STATE.exists():
        shutil.rmtree(STATE)
    namespace.remove()


def _mounts_below(directory: Path) -> list[str]:
    points = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    # The kernel writes a space as \040.
    return [point for point in (point.encode().decode("unicode_escape") for point in points)
            if point.startswith(f"{directory}/")]
