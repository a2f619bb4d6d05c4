"""Each bar is kept by numbers that are good enough, and missed by any that is not."""
import unittest

import scratch
from measure import bars


def missed(results: dict) -> list[str]:
    return [bar.what for bar in bars.of(results) if not bar.kept]


class BarsTest(unittest.TestCase):
    def expect_missed(self, words: str, change) -> None:
        results = scratch.results()
        self.assertEqual(missed(results), [])
        change(results)
        found = missed(results)
        self.assertTrue(found and all(words in what for what in found), f"{words}: {found}")

    def test_each_bar_can_be_missed(self):
        def put(*path):
            *places, name, value = path

            def change(results: dict) -> None:
                for place in places:
                    results = results[place]
                results[name] = value

            return change

        for words, change in (
                ("first reconcile", put("start", "first_reconcile", [0.1, 1.1, 1.2])),
                ("memory, idle", put("start", "megabytes", [41.0, 41.0, 10.0])),
                ("networks to Ready", put("kupenstack", "network", scratch.contender(21, 0.1, 1000, 3000))),
                ("VMs to Ready", put("kupenstack", "machine", scratch.contender(10, 2.1, 1000, 3000))),
                ("requests for a network", put("kupenstack", "network", scratch.contender(10, 1, 1101, 3000))),
                ("requests for a VM", put("kupenstack", "machine", scratch.contender(10, 1, 1501, 3000))),
                ("writes for a network", put("kupenstack", "network", scratch.contender(10, 1, 1000, 4001))),
                ("writes for a VM", put("kupenstack", "machine", scratch.contender(10, 1, 1000, 4001))),
                ("but for the lease", put("settled", "writes", {"patch networks/status": 1})),
                ("requests a poll", put("settled", "requests", {"GET network/networks": 67})),
                ("settled objects: resident", put("settled", "rss_megabytes", 121.0)),
                ("drift", put("drift", "seconds", [1.0, 30.1])),
                ("made again", put("vanish", "down cell", "recreated", 1)),
                ("say why", put("vanish", "down cell", "events", {})),
                ("slow", put("neighbours", "median", "slow", 2.7)),
                ("silent", put("neighbours", "median", "silent", 2.7))):
            with self.subTest(words):
                self.expect_missed(words, change)

    def test_cpu_of_a_network_has_a_bar_of_its_own(self):
        results = scratch.results()
        results["kupenstack"]["network"] = scratch.contender(10, 2.1, 1000, 3000)
        results["orc"]["network"] = scratch.contender(100, 30, 3000, 3000)
        self.assertEqual(missed(results), ["provider CPU for a network"])

    def test_a_part_that_was_not_measured_has_no_bars(self):
        results = scratch.results()
        del results["orc"], results["vanish"]
        self.assertFalse(any("ORC" in bar.what or "vanish" in bar.what for bar in bars.of(results)))

    def test_the_table_names_what_is_missed(self):
        text = bars.table([bars.Bar("speed", 5, 4, "×", at_least=True), bars.Bar("writes", 0, 0)])
        self.assertIn("| speed | ≥ 5× | 4× | 0.80 | **missed** |", text)
        self.assertIn("| writes | ≤ 0 | 0 |  | ok |", text)


unittest.main()
