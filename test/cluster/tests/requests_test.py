"""Counting requests in access logs, without OpenStack."""
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

_SCRATCH = tempfile.TemporaryDirectory()
os.environ["KUPENSTACK_STATE"] = _SCRATCH.name
sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from harness import openstack_requests as requests  # noqa: E402: the path above comes first


class RequestsTest(unittest.TestCase):
    def test_path_template(self):
        for path, template in {
            "/v2.0/networks/0b1f9d43-5a2c-4c6e-9d3f-0123456789ab": "/v2.0/networks/{id}",
            "/v2.1/servers/detail": "/v2.1/servers/detail",
            "/v2.1/os-keypairs/my-key": "/v2.1/os-keypairs/{id}",
            "/v3/0123456789abcdef0123456789abcdef/volumes/": "/v3/{id}/volumes",
            "/": "/",
        }.items():
            self.assertEqual(requests.path_template(path), template)

    def test_counts_what_came_since_the_mark_by_who_asked(self):
        requests.ACCESS_LOGS.mkdir(parents=True)
        log = requests.ACCESS_LOGS / "nova.log"

        def note(agent: str, user: str = "demo", service_token: bool = False) -> None:
            with open(log, "a") as file:
                file.write(json.dumps({"method": "GET", "path": "/v2.1/servers", "agent": agent, "user": user,
                                       "service_token": service_token}) + "\n")

        note("provider-kupenstack/1")
        since = requests.mark()
        note("provider-kupenstack/1")
        note("provider-kupenstack/1")
        note("python-novaclient")
        note("provider-kupenstack/1", service_token=True)
        note(requests.USER_AGENT)
        self.assertEqual(requests.count(since, by=("origin",)), {("client",): 3, ("internal",): 2})
        self.assertEqual(requests.count(since, "provider-kupenstack", by=("origin", "path")),
                         {("client", "/v2.1/servers"): 2, ("internal", "/v2.1/servers"): 1})


if __name__ == "__main__":
    unittest.main()
