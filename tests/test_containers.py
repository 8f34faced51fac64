"""The files for containers name what exists. They were not run here: that needs images from a registry."""

import json
import re
import shlex
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from lynxden.cli import app
from lynxden.server.serve import STOP_SECONDS
from lynxden.server.settings import PREFIX, Settings, from_environment

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
yaml = pytest.importorskip("yaml")


def instructions() -> list[tuple[str, str]]:
    """Each instruction of the Containerfile with what it says."""
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [(line.split()[0], line.partition(" ")[2].strip()) for line in joined.splitlines() if line.strip()]


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    return found


def settings_of(environment: dict[str, str]) -> Settings:
    """What a server makes of an environment; every name must be one that it knows."""
    names = {PREFIX + field.name.upper() for field in fields(Settings)}
    assert {name for name in environment if name.startswith(PREFIX)} <= names
    return from_environment(environment=environment)


def image_environment() -> dict[str, str]:
    pairs = [each for name, said in instructions() if name == "ENV" for each in shlex.split(said)]
    return dict(each.split("=", 1) for each in pairs)


def test_the_image_installs_what_is_built_and_runs_what_exists() -> None:
    found = instructions()
    assert found[0][0] == "FROM"
    base = re.fullmatch(r"python:3\.(\d+)-slim", found[0][1])
    assert base is not None
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f"Programming Language :: Python :: 3.{base[1]}" in project
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "--wheel-dir dist" in makefile
    assert [said for name, said in found if name == "COPY"] == ["dist/lynxden-*.whl /tmp/"]
    extras = re.search(r"\)\[([\w,]+)\]", " ".join(said for name, said in found if name == "RUN"))
    assert extras is not None
    for extra in extras[1].split(","):
        assert re.search(rf"^{extra} = \[", project, re.MULTILINE), extra
    commands = get_command(app).commands  # type: ignore[attr-defined]
    assert json.loads(dict(found)["CMD"])[0] == "lynxden"
    assert json.loads(dict(found)["CMD"])[1] in commands
    assert "warm" in commands
    settings = settings_of(image_environment())
    assert (settings.host, settings.data) == ("0.0.0.0", Path("/var/lib/lynxden"))
    assert dict(found)["VOLUME"] == str(settings.data)
    assert dict(found)["EXPOSE"] == str(settings.port)
    assert f":{settings.port}/healthz" in dict(found)["HEALTHCHECK"]
    order = [name for name, _ in found]
    assert order.index("USER") < order.index("CMD")
    assert dict(found)["USER"] == "lynxden"
    warm = next(place for place, (name, said) in enumerate(found) if (name, said) == ("RUN", "lynxden warm"))
    assert warm > order.index("USER"), "compiled by another user, for whom it would lie elsewhere"
    assert warm > order.index("ENV"), "compiled before it is said where it is kept"


def test_the_services_fit_together() -> None:
    services = compose()["services"]
    server, proxy, database = services["server"], services["proxy"], services["database"]
    assert (DEPLOY / server["build"]["context"] / server["build"]["dockerfile"]).resolve().is_file()
    environment = {
        name: re.sub(r"\$\{(\w+):\?[^}]*\}", "secret", value) for name, value in server["environment"].items()
    }
    settings = settings_of({**image_environment(), **environment})
    assert settings.database == "postgresql://lynxden:secret@database/lynxden"
    assert database["environment"]["POSTGRES_USER"] == "lynxden"
    assert settings.secure
    caddy = (DEPLOY / "Caddyfile").read_text(encoding="utf-8")
    assert f"reverse_proxy {settings.host}:{settings.port}" in caddy
    assert settings.public_url.removeprefix("https://") + " {" in caddy
    assert settings.proxies == settings.host
    assert proxy["network_mode"] == "service:server"
    assert set(server["ports"]) == {"80:80", "443:443"}
    assert "ports" not in proxy, "it has no network of its own"
    assert int(server["stop_grace_period"].removesuffix("s")) > STOP_SECONDS
    for service in services.values():
        for volume in service.get("volumes", ()):
            place = volume.split(":")[0]
            assert place in compose()["volumes"] or (DEPLOY / place).is_file(), place
        assert set(service.get("depends_on", ())) <= set(services)
