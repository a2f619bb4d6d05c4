"""How parts start, fail, die and come back, without a cluster."""
import os
import signal
import sys
import tempfile
import unittest
from pathlib import Path

_SCRATCH = tempfile.TemporaryDirectory()
os.environ["KUPENSTACK_STATE"] = _SCRATCH.name
sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from harness import namespace  # noqa: E402: the path above comes first
from harness.cluster import explain  # noqa: E402
from harness.daemon import Daemon, start_time  # noqa: E402
from harness.part import NotStarted, Service, Step, bring_up, closure  # noqa: E402

# No namespace is needed to see processes live and die.
namespace.ENTER = []
namespace.contains = lambda pid: True


def shell(name: str, script: str, **settings) -> Service:
    return Service(name, "test", argv=lambda: ["sh", "-c", script], **settings)


class PartTest(unittest.TestCase):
    def test_closure_orders_what_is_needed_first(self):
        parts = {name: Step(name, "test", needs) for name, needs in (("c", ("a", "b")), ("b", ("a",)), ("a", ()), ("other", ()))}
        self.assertEqual([part.name for part in closure(parts, ["c"])], ["a", "b", "c"])

    def test_service_that_ends_is_named_with_its_last_lines(self):
        broken = shell("broken", "echo the port is taken; exit 3", ready=lambda: False)
        failures = bring_up([broken, Step("later", "test", ("broken",))])
        self.assertIsInstance(failures["later"], NotStarted)
        text = explain(failures)
        self.assertIn("broken: it ended by itself", text)
        self.assertIn("the port is taken", text)
        self.assertIn("not started because of that: later", text)

    def test_service_that_never_gets_ready_is_named(self):
        idle = shell("idle", "echo waiting for nothing; exec sleep 60", ready=lambda: False, seconds=0.3)
        self.addCleanup(idle.down)
        text = explain(bring_up([idle]))
        self.assertIn("idle: not ready after", text)
        self.assertIn("waiting for nothing", text)

    def test_failed_step_says_why(self):
        def run():
            raise OSError("disk full")
        self.assertIn("OSError: disk full", explain(bring_up([Step("copy", "test", run=run)])))

    def test_running_service_is_left_alone_and_a_killed_one_comes_back(self):
        service = shell("steady", "exec sleep 60")
        self.addCleanup(service.down)
        self.assertTrue(service.up())
        first = service.daemon.pid()
        self.assertFalse(service.up())
        self.assertEqual(service.daemon.pid(), first)
        os.kill(first, signal.SIGKILL)
        os.waitpid(first, 0)
        self.assertTrue(service.up())
        self.assertNotEqual(service.daemon.pid(), first)

    def test_workers_of_a_killed_service_do_not_outlive_it(self):
        worker_file = Path(_SCRATCH.name) / "worker"
        service = shell("forks", f"sleep 60 & echo $! > {worker_file}.new; mv {worker_file}.new {worker_file}; exec sleep 60",
                        ready=worker_file.exists)
        self.addCleanup(service.down)
        service.up()
        worker, leader = int(worker_file.read_text()), service.daemon.pid()
        os.kill(leader, signal.SIGKILL)
        os.waitpid(leader, 0)
        worker_file.unlink()
        service.up()
        self.assertNotEqual(int(worker_file.read_text()), worker)
        self.assertIsNone(start_time(worker))

    def test_reused_pid_is_not_taken_for_the_daemon(self):
        daemon = Daemon("ghost")
        daemon.start(["sleep", "60"], {})
        pid = daemon.pid()
        self.addCleanup(os.kill, pid, signal.SIGKILL)
        (Path(_SCRATCH.name) / "run/ghost.pid").write_text(f"{pid} 1")
        self.assertIsNone(daemon.pid())
        daemon.stop()
        os.kill(pid, 0)  # still there: it was not ours to end


if __name__ == "__main__":
    unittest.main(warnings="ignore")  # of children that outlive the object that started them: that is the point
