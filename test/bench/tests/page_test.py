"""The page and the picture are made of the results."""
import unittest
import xml.etree.ElementTree as xml

import scratch
from harness.settings import REPOSITORY
from measure import page, plot


class PageTest(unittest.TestCase):
    def test_blocks_are_written_anew_and_all_else_stays(self):
        before = "# Title\n<!-- drift -->\nold\n<!-- /drift -->\nthe end\n"
        after = page.rewrite(before, scratch.results())
        self.assertTrue(after.startswith("# Title\n<!-- drift -->\n3 changes: put right or told after 3.0 s to 29.0 s"), after)
        self.assertTrue(after.endswith("\n<!-- /drift -->\nthe end\n"), after)
        self.assertEqual(page.rewrite(after, scratch.results()), after)

    def test_an_unknown_block_is_an_error(self):
        with self.assertRaises(KeyError):
            page.rewrite("<!-- nothing -->\n<!-- /nothing -->", scratch.results())

    def test_every_block_of_the_real_page_is_known(self):
        text = (REPOSITORY / "docs/performance.md").read_text()
        self.assertNotEqual(page.rewrite(text, scratch.results()), text)

    def test_the_picture_is_xml_with_a_curve_for_each(self):
        picture = xml.fromstring(plot.draw(scratch.results()))
        self.assertEqual(len(picture.findall("{http://www.w3.org/2000/svg}polyline")), 4)


unittest.main()
