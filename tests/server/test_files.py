"""The files of the built-in database: one server at a time, and nobody else may read them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import httpx
import pytest

from lynxden.games.errors import LynxdenError
from lynxden.server.store.core import open_store
from lynxden.server.store.lock import only_server
from lynxden.server.store.upkeep import backup_sqlite
from tests.commands import lynxden, process
from tests.server.kit import Process, run

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@POSIX
def test_one_server_for_one_file(tmp_path: Path) -> None:
    data, link = tmp_path / "data", tmp_path / "link"
    with Process("--data", str(data)) as first:
        assert mode(data) == 0o700
        files = sorted(path.name for path in data.iterdir())
        assert files == [f"lynxden.sqlite3{end}" for end in ("", "-shm", "-wal", ".lock")]
        assert {mode(data / name) for name in files} == {0o600}
        link.symlink_to(data)
        second = process("serve", "--port", "0", "--data", str(link))
        assert second.returncode != 0
        told = " ".join(second.stderr.split())
        assert "another server uses the database" in told
        assert "lynxden.sqlite3" in told.replace(" ", "")
        assert "Traceback" not in second.stderr
        looked = lynxden("admin", "tables", "--data", str(data))
        assert looked.returncode == 0, looked.stderr
        copy = tmp_path / "copy.sqlite3"
        saved = lynxden("admin", "backup", str(copy), "--data", str(data))
        assert saved.returncode == 0, saved.stderr
        assert mode(copy) == 0o600
        assert httpx.get(f"{first.url}/readyz").status_code == 200
        first.kill()
    with Process("--data", str(data)) as again:
        assert again.stop() == 0


def test_the_lock_ends_with_its_holder(tmp_path: Path) -> None:
    file = tmp_path / "a.sqlite3"
    with (
        only_server(file),
        pytest.raises(LynxdenError, match=r"another server uses .*a\.sqlite3"),
        only_server(file),
    ):
        pass
    with only_server(tmp_path / "b.sqlite3"), only_server(file):
        pass


def test_a_lock_that_cannot_be_made(tmp_path: Path) -> None:
    with (
        pytest.raises(LynxdenError, match="cannot be opened"),
        only_server(tmp_path / "nowhere" / "a.sqlite3"),
    ):
        pass


@POSIX
@pytest.mark.parametrize("mask", [0o000, 0o022])
def test_new_files_are_for_their_owner_alone(tmp_path: Path, mask: int) -> None:
    async def story() -> None:
        store = await open_store(str(file))
        try:
            for name in ("a.sqlite3", "a.sqlite3-wal", "a.sqlite3-shm"):
                assert mode(tmp_path / name) == 0o600
            backup_sqlite(file, copy)
            assert mode(copy) == 0o600
        finally:
            await store.close()

    file, copy = tmp_path / "a.sqlite3", tmp_path / "copy.sqlite3"
    before = os.umask(mask)
    try:
        run(story())
    finally:
        os.umask(before)


@POSIX
def test_files_of_before_are_closed_to_others(tmp_path: Path) -> None:
    async def story() -> None:
        await (await open_store(str(file))).close()
        file.chmod(0o644)
        store = await open_store(str(file))
        assert mode(file) == 0o640
        await store.close()

    file = tmp_path / "a.sqlite3"
    run(story())
