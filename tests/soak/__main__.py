"""Many tables on two servers for a long time, while everything that can go wrong does.

    python -m tests.soak --minutes 60 --tables 300      (or `make soak`)

Exit code 0 if nothing that was acknowledged was lost or done twice, every game follows the rules, memory did
not grow and the servers' logs hold no fault; 1 otherwise. The folder `soak` has `report.txt`, `report.json`,
the ledger and the servers' logs.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import resource
import sys
from pathlib import Path

from tests.server.postgres import start_postgres
from tests.soak.soak import Wanted, soak


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description="A long test of two servers.")
    parser.add_argument("--minutes", type=float, default=60, help="how long the storm lasts")
    parser.add_argument("--tables", type=int, default=300, help="tables at a time")
    parser.add_argument(
        "--seed", type=int, default=None, help="of all that is random; by default another each time"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("soak"), help="the folder for the report and the logs"
    )
    asked = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if asked.seed is None else asked.seed
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with start_postgres() as postgres:
        try:
            report = asyncio.run(soak(Wanted(asked.minutes, asked.tables, seed, asked.out), postgres))
        except KeyboardInterrupt:
            sys.stderr.write("\ninterrupted: nothing was checked\n")
            return 130
    sys.stderr.write("\n")
    print(report.text)
    return 1 if report.problems else 0


if __name__ == "__main__":
    sys.exit(main())
