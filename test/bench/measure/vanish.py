"""Half of the machines vanish from a list at once (a down cell, a lost role): nothing may be made again, and events say why."""
import re
import time
from collections import Counter

from harness.progress import say
from measure.api import NAMESPACE
from measure.creation import Creation
from measure.kupenstack import MACHINES, POLL_SECONDS
from measure.watch import Watch

# Long enough for a list that lacks them, and another that agrees.
_POLLS = 2.5
_CREATE = "POST compute/servers"
_FAULTS = {
    "down cell": [{"effect": "down-cell", "service": "compute", "cell": 1}],
    "lost role": [{"effect": "lost-role", "service": "compute", "path": "/servers*", "share": 50},
                  {"effect": "lost-role", "service": "identity", "path": "/auth/tokens"}],
}
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Vanish:
    def __init__(self, creation: Creation):
        self._creation, self._cloud, self._api = creation, creation.cloud, creation.api

    def measure(self) -> dict:
        return {name: self._measure(name, faults) for name, faults in _FAULTS.items()}

    def _measure(self, name: str, faults: list[dict]) -> dict:
        say(f"{name}: half of the machines are out of sight")
        with Watch(self._api, MACHINES, self._creation.contender.is_ready) as watch:
            names, events = watch.ready(), self._events()
            servers = self._servers()
            self._cloud.forget_requests()
            self._cloud.tell("POST", "/faults", {"faults": faults})
            time.sleep(_POLLS * POLL_SECONDS)
            still_ready = len(watch.ready())
            told = self._events() - events
            self._cloud.tell("DELETE", "/faults")
            watch.await_ready(names, 4 * POLL_SECONDS, f"after the {name}")
        created = max(self._cloud.requests()[_CREATE], len(self._servers() - servers))
        result = {"machines": len(names), "recreated": created, "still_ready": still_ready, "events": dict(told)}
        say(f"{name}: {result}")
        return result

    def _servers(self) -> set[str]:
        return {server["id"] for server in self._cloud.objects("compute/servers")}

    def _events(self) -> Counter[str]:
        """"kind: reason: message" of warnings, without ids, by how many objects they are about."""
        items = self._api.list(f"/api/v1/namespaces/{NAMESPACE}/events")
        return Counter(f"{item['involvedObject']['kind']}: {item['reason']}: {_ID.sub('…', item['message'])}" for item in items
                       if item["type"] == "Warning")
