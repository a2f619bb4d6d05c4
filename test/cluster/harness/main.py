"""The command line: see usage()."""
import os
import signal
import sys

from harness import cluster, environment, namespace, openstack_requests, status
from harness.part import PartFailed, as_part_failed
from harness.settings import SOURCE

_GROUPS = " | ".join(cluster.GROUPS)


def usage() -> None:
    sys.exit(f"""usage: cluster up [all | {_GROUPS}]...
       cluster down | wipe | status [--json] | running | shell | exec COMMAND...
       cluster requests mark | requests count [--agent REGEX] [--by service,method,path]""")


def up(arguments: list[str]) -> None:
    if not set(arguments) <= {*cluster.GROUPS, "all"}:
        usage()
    cluster.up(list(cluster.GROUPS) if "all" in arguments or not arguments else arguments)


def show_status(arguments: list[str]) -> None:
    parts = cluster.all_parts()
    print(status.as_json(parts) if arguments == ["--json"] else status.as_table(parts))


def enter(argv: list[str]) -> None:
    """Becomes argv, inside the namespace and with every tool pointed at the cluster."""
    if not argv:
        usage()
    if not namespace.exists():
        raise PartFailed("no cluster here yet: make cluster-up")
    os.execvpe(namespace.ENTER[0], [*namespace.ENTER, *argv], environment.complete())


COMMANDS = {
    "up": up,
    "down": lambda _: cluster.down(),
    "wipe": lambda _: cluster.wipe(),
    "status": show_status,
    "running": lambda _: sys.exit(0 if cluster.running() else 1),
    "shell": lambda _: enter(["bash", "--rcfile", str(SOURCE / "shellrc"), "-i"]),
    "exec": enter,
    "requests": openstack_requests.main,
}


def main() -> None:
    verb = sys.argv[1] if len(sys.argv) > 1 else ""
    if verb not in COMMANDS:
        usage()
    # A supervisor's polite end is the same as Ctrl-C: what is under way is given up in order.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        COMMANDS[verb](sys.argv[2:])
    except KeyboardInterrupt:
        print(f"cluster {verb}: interrupted; what is up stays up", file=sys.stderr)
        sys.exit(130)
    except Exception as problem:
        sys.exit(f"\ncluster {verb} FAILED\n{as_part_failed(problem)}")
