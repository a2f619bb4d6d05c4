"""All parts together: what `cluster up`, `down`, `wipe`, `status`, `shell` and `exec` do."""
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness import control, crossplane, namespace, node, openstack, openstack_requests, tools
from harness.daemon import rss_kib
from harness.part import NotStarted, Part, PartFailed, Service, bring_up, closure
from harness.progress import say
from harness.settings import CLOUDS_YAML, ENV_FILE, IP, KUBECONFIG, LOGS, NETNS_FILE, REGISTRY, REPOSITORY, SOURCE, STATE
from harness.tools import TOOLS

GROUPS = ("control", "node", "crossplane", "openstack")
_FINGERPRINT = STATE / "fingerprint"


def all_parts() -> dict[str, Part]:
    modules = (tools, control, node, crossplane, openstack)
    return {part.name: part for module in modules for part in module.parts()}


def up(groups: list[str]) -> None:
    with _exclusive():
        parts = all_parts()
        _drop_foreign_state(parts)
        _install_packages(groups)
        _write_environment()
        wanted = closure(parts, [part.name for part in parts.values() if part.group in groups])
        failures = bring_up(wanted)
    if failures:
        raise PartFailed(explain(failures))
    services = sum(isinstance(part, Service) for part in wanted)
    say(f"cluster up: {' '.join(groups)} ready ({services} services)")


def down() -> None:
    with _exclusive():
        _stop(all_parts())
    say("cluster down: nothing runs, state is kept (wipe removes it)")


def wipe() -> None:
    with _exclusive():
        _stop(all_parts())
        _remove_state()
    say("cluster wiped: nothing runs, no state is left; built binaries and the database cache are kept")


def running() -> bool:
    return any(isinstance(part, Service) and part.daemon.pid() for part in all_parts().values())


def status() -> None:
    rows: list[tuple[str, str, str, int, str]] = []
    parts = all_parts()
    for part in parts.values():
        if isinstance(part, Service):
            rows.append((part.name, part.version(), part.state(), part.daemon.rss_kib(), str(part.daemon.log)))
    if parts["kubelet"].daemon.pid() and parts["containerd"].daemon.pid():
        rows += [(name, version, state, rss_kib(pid), log) for name, version, state, pid, log in parts["crossplane"].rows()]
    lines = [(name, version, state, f"{rss / 1024:.0f} MB" if rss else "-", log) for name, version, state, rss, log in rows]
    lines = [("PART", "VERSION", "STATE", "RSS", "LOG"), *lines]
    widths = [max(len(line[column]) for line in lines) for column in range(4)]
    for line in lines:
        print("  ".join([*(cell.ljust(width) for cell, width in zip(line, widths)), line[4]]))
    print(f"{sum(row[2] == 'ready' for row in rows)} of {len(rows)} ready, "
          f"{sum(row[3] for row in rows) / 1024:.0f} MB resident in all")


def enter(argv: list[str]) -> None:
    """Becomes argv, inside the namespace and with every tool pointed at the cluster."""
    if not namespace.exists():
        raise PartFailed("no cluster here yet: make cluster-up")
    environment = {**os.environ, **environment_variables()}
    for proxy in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        environment.pop(proxy, None)
    os.execvpe(namespace.ENTER[0], [*namespace.ENTER, *argv], environment)


def environment_variables() -> dict[str, str]:
    directories = list(dict.fromkeys(str(tool.directory) for tool in TOOLS.values()))
    # Debian's directories before the caller's: the openstack command must meet Debian's Python, not another.
    path = ":".join([*directories, "/usr/sbin:/usr/bin:/sbin:/bin", os.environ.get("PATH", "")])
    return {
        "PATH": path,
        "KUBECONFIG": str(KUBECONFIG),
        "OS_CLIENT_CONFIG_FILE": str(CLOUDS_YAML),
        "OS_CLOUD": "demo",
        "no_proxy": f"{IP},127.0.0.1,localhost",
        "KUPENSTACK_NETNS": str(NETNS_FILE),
        "KUPENSTACK_REGISTRY": REGISTRY,
        "KUPENSTACK_IP": IP,
        "KUPENSTACK_SOURCE": str(SOURCE),
        "KUPENSTACK_STATE": str(STATE),
        "KUPENSTACK_LOGS": str(LOGS),
    }


@contextmanager
def _exclusive() -> Iterator[None]:
    """Two callers take turns: the second finds what the first brought up."""
    STATE.mkdir(parents=True, exist_ok=True)
    with open(STATE.with_name(STATE.name + ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _fingerprint() -> str:
    """Changes with anything that shapes the cluster's state, so that no state of another version is ever reused."""
    digest = hashlib.sha256()
    for file in sorted(path for path in SOURCE.rglob("*") if path.is_file()):
        if file.suffix != ".md" and not {"__pycache__", "tests"} & set(file.parts):
            digest.update(str(file.relative_to(SOURCE)).encode() + file.read_bytes())
    return digest.hexdigest()


def _drop_foreign_state(parts: dict[str, Part]) -> None:
    if _FINGERPRINT.exists() and _FINGERPRINT.read_text() != _fingerprint():
        say("test/cluster has changed since this state was made: starting afresh")
        _stop(parts)
        _remove_state()
        STATE.mkdir(parents=True)
    _FINGERPRINT.write_text(_fingerprint())


def _install_packages(groups: list[str]) -> None:
    sections = ["control", *(group for group in groups if group in ("node", "openstack"))]
    if "crossplane" in groups and "node" not in sections:
        sections.append("node")
    subprocess.run([str(REPOSITORY / "scripts/install-packages"), *sections], check=True)


def _write_environment() -> None:
    """For programs that are not started through `cluster exec`: tests read it and enter the namespace by themselves."""
    ENV_FILE.write_text("".join(f"{name}={value}\n" for name, value in environment_variables().items()))


def _stop(parts: dict[str, Part]) -> None:
    """In reverse order of need. A part that can't be stopped must not keep the others running."""
    services = [part for part in closure(parts, parts) if isinstance(part, Service) and part.daemon.pid()]
    for part in reversed(services):
        try:
            part.down()
        except Exception as problem:
            say(f"{part.name}: {problem}")


def _remove_state() -> None:
    mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    for mount in sorted((path for path in mounts if path.startswith(f"{STATE}/")), reverse=True):
        subprocess.run(["umount", "--lazy", mount], check=True)
    shutil.rmtree(STATE, ignore_errors=True)
    namespace.remove()


def explain(failures: dict[str, PartFailed]) -> str:
    causes = [f"{name}: {problem}" for name, problem in failures.items() if not isinstance(problem, NotStarted)]
    waiting = [name for name, problem in failures.items() if isinstance(problem, NotStarted)]
    text = "\n\n".join(causes)
    return f"{text}\n\nnot started because of that: {', '.join(waiting)}" if waiting else text


def main() -> None:
    commands = {"down": down, "wipe": wipe, "status": status}
    verb, arguments = (sys.argv[1] if len(sys.argv) > 1 else "help"), sys.argv[2:]
    try:
        if verb == "up" and all(group in (*GROUPS, "all") for group in arguments):
            up(list(GROUPS) if "all" in arguments or not arguments else arguments)
        elif verb == "exec" and arguments:
            enter(arguments)
        elif verb == "shell" and not arguments:
            enter(["bash", "--rcfile", str(SOURCE / "shellrc"), "-i"])
        elif verb == "requests":
            openstack_requests.main(arguments)
        elif verb == "running":
            sys.exit(0 if running() else 1)
        elif verb in commands and not arguments:
            commands[verb]()
        else:
            sys.exit(f"usage: cluster up [all | {' | '.join(GROUPS)}]... | down | wipe | status | running | shell |\n"
                     "       cluster exec COMMAND... | requests mark | requests count [--agent REGEX]")
    except PartFailed as problem:
        sys.exit(f"\ncluster {verb} FAILED\n{problem}")
