"""Starts the nova service that the program's name tells, with two things changed that no setting can change."""
import importlib
import os
import sys


def main():
    # First of all imports, because it is here that nova makes the standard library cooperative.
    command = importlib.import_module("nova.cmd." + sys.argv[0].removeprefix("nova-"))
    import nova.virt
    from nova.servicegroup import api as servicegroup

    # nova takes compute drivers only from below nova.virt: make kupen_fakes appear there.
    nova.virt.__path__.append(os.path.dirname(os.path.dirname(__file__)))
    # A service reports to the database for the first time as soon as it serves, not five seconds later:
    # the report is what the cluster waits for.
    servicegroup.INITIAL_REPORTING_DELAY = 0
    return command.main()
