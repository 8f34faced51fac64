"""Processes that play for a command."""

import signal

from tests.commands import children, gone, interruptible, until


def test_a_simulation_that_is_stopped_does_not_wait_for_its_workers(installed: dict[str, str]) -> None:
    """They would play for minutes: a hundred games each, with some more at hand."""
    arguments = ["linko", "--edition", "duel", "--bot", "slow:ms=30", "--games", "1000", "--workers", "2"]
    with interruptible("simulate", *arguments, environment=installed) as running:
        until(lambda: len(children(running.pid)) > 2)  # the third looks after what they share
        workers = children(running.pid)
        running.send_signal(signal.SIGINT)
        said, complaint = running.communicate(timeout=30)
    assert (running.returncode, said, complaint) == (130, "", "lynxden: stopped after 0 of 1,000 games\n")
    until(lambda: all(gone(worker) for worker in workers), 30)
