from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.postgres import Postgres, start_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One server for all tests of this process."""
    with start_postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database with nothing in it, of either kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'lynxden.db'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.new_database()
