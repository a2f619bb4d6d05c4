"""Counts the requests that OpenStack got, from its access logs.

    cluster requests mark
    cluster requests count [--agent REGEX] [--by service,method,path]

`count` shows what came since `mark`. Clients are told apart from OpenStack's services, which call each other a lot.
"""
import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator

from harness.openstack_config import ACCESS_LOGS, ROOT
from harness.shell import USER_AGENT

Mark = dict[str, int]

_MARK_FILE = ROOT / "requests.mark"
_SERVICE_USERS = {"nova", "placement", "glance", "neutron", "cinder", "octavia"}
# How services name themselves when they have no token yet, how octavia calls neutron in the name of a user, and how the
# harness asks whether a service is up.
_SERVICE_AGENTS = re.compile(
    rf"(nova|placement|glance|neutron|cinder|octavia)[-/]|python-neutronclient|{USER_AGENT}")
_ID = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+", re.IGNORECASE)
# Collections whose members go by a name that does not look like an id.
_NAMED = {"os-keypairs", "tags", "metadata", "os-extra_specs", "traits", "resource_classes", "flavors", "quotas",
          "os-quota-sets"}
COLUMNS = ("service", "method", "path", "query", "status", "user", "agent")
_NOT_NAMES = {"detail", "defaults"}


def mark() -> Mark:
    """Where the logs end now."""
    return {log.stem: log.stat().st_size for log in sorted(ACCESS_LOGS.glob("*.log"))}


def count(since: Mark, user_agent_regex: str | None = None,
          by: tuple[str, ...] = ("origin", "service", "method", "path")) -> Counter[tuple[str, ...]]:
    """How many requests there were for each combination of `by`.

    That names fields of the log (method, status, user, agent...), or service, path (with {id} in place of ids),
    or origin, which is "client" or "internal".
    """
    agent = re.compile(user_agent_regex or "")
    return Counter(tuple(str(request[field]) for field in by)
                   for request in _requests(since) if agent.search(request["agent"]))


def path_template(path: str) -> str:
    words = path.rstrip("/").split("/")
    return "/".join("{id}" if _ID.fullmatch(word) or before in _NAMED and word not in _NOT_NAMES else word
                    for before, word in zip(["", *words], words)) or "/"


def _requests(since: Mark) -> Iterator[dict]:
    for service, size in mark().items():
        begin = since.get(service, 0)
        with open(ACCESS_LOGS / f"{service}.log", "rb") as log:
            log.seek(begin if begin <= size else 0)  # A shorter log is a new one.
            for line in log:
                if line.endswith(b"\n"):  # Else it is being written.
                    request = json.loads(line)
                    origin = "internal" if _is_internal(request) else "client"
                    yield {**request, "service": service, "origin": origin, "path": path_template(request["path"])}


def _is_internal(request: dict) -> bool:
    return (request["service_token"] or request["user"] in _SERVICE_USERS
            or bool(_SERVICE_AGENTS.match(request["agent"])))


def _table(counts: Counter[tuple[str, ...]], columns: tuple[str, ...]) -> str:
    clients = {key[1:]: number for key, number in counts.items() if key[0] == "client"}
    internal = {key[1:]: number for key, number in counts.items() if key[0] == "internal"}
    lines = [f"{'client':>8} {'internal':>8}  {' '.join(columns)}"]
    for key in sorted({*clients, *internal}):
        lines.append(f"{clients.get(key, 0):8d} {internal.get(key, 0):8d}  {' '.join(key)}")
    lines.append(f"{sum(clients.values()):8d} {sum(internal.values()):8d}  in all")
    return "\n".join(lines)


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="cluster requests", description="Counts requests to OpenStack.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("mark", help="remember where the access logs end")
    counting = commands.add_parser("count", help="count what came since mark, or from the beginning")
    counting.add_argument("--agent", metavar="REGEX", help="only requests of user agents in which this is found")
    counting.add_argument("--by", default="service,method,path", help="columns, such as service,method,status,agent")
    arguments = parser.parse_args(argv)
    if not ROOT.exists():
        parser.error("there is no OpenStack here yet: make cluster-up PARTS=openstack")
    if arguments.command == "mark":
        _MARK_FILE.write_text(json.dumps(mark()))
    else:
        since = json.loads(_MARK_FILE.read_text()) if _MARK_FILE.exists() else {}
        columns = tuple(arguments.by.split(","))
        unknown = [column for column in columns if column not in COLUMNS]
        if unknown:
            parser.error(f"--by {','.join(unknown)}: there are {', '.join(COLUMNS)}")
        print(_table(count(since, arguments.agent, by=("origin", *columns)), columns))

