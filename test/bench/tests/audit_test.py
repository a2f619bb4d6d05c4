"""Writes are counted by who made them, also when the log goes on in another file."""
import json
import unittest

import scratch
from measure.audit import AuditLog, without_lease


def entry(agent: str, verb: str, resource: str, subresource: str = "") -> str:
    about = {"resource": resource, "subresource": subresource}
    return json.dumps({"userAgent": agent, "verb": verb, "objectRef": about}) + "\n"


class AuditTest(unittest.TestCase):
    def setUp(self):
        self.path = scratch.STATE / f"{self.id()}.log"
        self.path.write_text(entry("orc/v1", "create", "before"))
        self.log = AuditLog(self.path)
        self.addCleanup(self.log.close)

    def write(self, text: str) -> None:
        with open(self.path, "a") as file:
            file.write(text)

    def test_counts_by_agent_and_shape_what_came_since(self):
        self.write(entry("orc/v1", "patch", "networks", "status") * 2 + entry("other", "patch", "networks"))
        self.assertEqual(self.log.writes("orc/"), {"patch networks/status": 2})
        self.assertEqual(self.log.writes("orc/"), {})

    def test_half_a_line_waits_for_its_end(self):
        line = entry("orc/v1", "create", "events")
        self.write(line[:20])
        self.assertEqual(self.log.writes("orc/"), {})
        self.write(line[20:])
        self.assertEqual(self.log.writes("orc/"), {"create events": 1})

    def test_follows_into_the_next_file(self):
        self.write(entry("orc/v1", "create", "events"))
        self.path.rename(self.path.with_suffix(".old"))
        self.path.write_text(entry("orc/v1", "delete", "events"))
        self.assertEqual(self.log.writes("orc/"), {"create events": 1, "delete events": 1})

    def test_leases_can_be_left_out(self):
        self.write(entry("orc/v1", "update", "leases") + entry("orc/v1", "create", "events"))
        self.assertEqual(without_lease(self.log.writes("orc/")), {"create events": 1})


unittest.main()
