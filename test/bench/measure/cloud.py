"""The simulated cloud as a process, what it is told over its own door, and a tenant's requests to it."""
import json
import time
import urllib.error
import urllib.request
from collections import Counter

from harness.settings import REPOSITORY
from measure.process import Controller
from measure.watch import await_that

PROGRAM = REPOSITORY / "build/release/test/simulator/kupenstack-simulator"
LATENCY = "50ms"
USER = "demo"
_AGENT = "bench"
# Room for all machines of a run.
_CIDR = "10.128.0.0/14"



class Cloud(Controller):
    def __init__(self, name: str = "simulator", port: int = 18774):
        super().__init__(name, [PROGRAM, f"--listen=127.0.0.1:{port}", f"--latency={LATENCY}"])
        self.url = f"http://127.0.0.1:{port}"
        await_that(self._listens, 10, lambda: "the simulator does not listen")
        self._token = self._log_in()

    def clouds_yaml(self) -> str:
        return f"""\
clouds:
  {USER}:
    auth_type: password
    region_name: RegionOne
    identity_api_version: "3"
    auth: {{auth_url: "{self.url}/identity/v3", username: {USER}, password: {USER}, project_name: {USER},
           user_domain_name: Default, project_domain_name: Default}}
"""

    def make_network(self) -> str:
        """A network for machines, with a subnet. Its id."""
        network = self.send("POST", "/network/v2.0/networks", {"network": {"name": "machines"}})["network"]["id"]
        subnet = {"network_id": network, "ip_version": 4, "cidr": _CIDR}
        self.send("POST", "/network/v2.0/subnets", {"subnet": subnet})
        return network

    def send(self, method: str, path: str, body: dict | None = None) -> dict:
        """As the tenant."""
        return _send(method, self.url + path, body, {"X-Auth-Token": self._token})[1]

    def exists(self, path: str) -> bool:
        try:
            self.send("GET", path)
        except urllib.error.HTTPError as problem:
            if problem.code == 404:
                return False
            raise
        return True

    def tell(self, method: str, path: str, body: dict | None = None) -> dict:
        """Under /simulator."""
        return _send(method, f"{self.url}/simulator{path}", body, {})[1]

    def objects(self, collection: str) -> list[dict]:
        return self.tell("GET", f"/objects?collection={collection}").get(collection, [])

    def forget_requests(self) -> None:
        self.tell("DELETE", "/requests")

    def requests(self) -> Counter[str]:
        """What others than the bench have asked since they were forgotten: "GET network/networks?limit,marker" and so on."""
        counts: Counter[str] = Counter()
        for one in self.tell("GET", "/requests")["requests"]:
            if not one["agent"].startswith(_AGENT):
                query = f"?{one['query']}" if one["query"] else ""
                counts[f"{one['method']} {one['service']}{one['path']}{query}"] += one["count"]
        return counts

    def await_quiet(self, seconds: float, calm: float = 1.0) -> None:
        """Until nobody has asked anything for so long."""
        last, since = sum(self.requests().values()), time.monotonic()

        def is_quiet() -> bool:
            nonlocal last, since
            now = sum(self.requests().values())
            if now != last:
                last, since = now, time.monotonic()
            return time.monotonic() - since >= calm

        await_that(is_quiet, seconds, lambda: f"still asked ({last} requests)", pause=0.1)

    def _listens(self) -> bool:
        self.check()
        try:
            self.requests()
        except OSError:
            return False
        return True

    def _log_in(self) -> str:
        domain = {"domain": {"name": "Default"}}
        identity = {"methods": ["password"], "password": {"user": {"name": USER, "password": USER, **domain}}}
        body = {"auth": {"identity": identity, "scope": {"project": {"name": USER, **domain}}}}
        return _send("POST", f"{self.url}/identity/v3/auth/tokens", body, {})[0]["X-Subject-Token"]


def _send(method: str, url: str, body: dict | None, headers: dict[str, str]) -> tuple[dict, dict]:
    """The answer's headers and body."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", "User-Agent": _AGENT, **headers},
                                     method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        text = answer.read()
        return dict(answer.headers), json.loads(text) if text else {}
