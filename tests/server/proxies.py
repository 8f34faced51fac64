"""The proxies of `docs/hosting.md` for tests: Debian's nginx and Caddy, with the files in `deploy`.

Only what a test cannot have is replaced: the name, the ports and the certificate.
"""

from __future__ import annotations

import getpass
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.server.players import free_port

DEPLOY = Path(__file__).parents[2] / "deploy"
NAME = "cards.example.org"
"""In the files, for the name of somebody's server."""
BACKEND = "127.0.0.1:8060"
"""In the files, for Lynxden."""
SECONDS = 20


@dataclass(frozen=True)
class Proxy:
    """A running proxy."""

    kind: str
    http: int
    https: int
    authority: Path
    """The certificate that clients trust."""

    @property
    def url(self) -> str:
        return f"https://localhost:{self.https}"


def filled(name: str, **replaced: str) -> str:
    """A file of `deploy` in which some words are others; each must be there."""
    text = (DEPLOY / name).read_text(encoding="utf-8")
    for old, new in replaced.items():
        assert old in text, f"{name} has no {old}"
        text = text.replace(old, new)
    return text


# --- nginx ----------------------------------------------------------------------------------------------

DEBIAN = Path("/etc/nginx/nginx.conf")
"""Into which our file is included, as it is installed."""


def _nginx(folder: Path, backend: int, http: int, https: int) -> tuple[list[str | Path], Path]:
    certificate, key = folder / "own.pem", folder / "own.key"
    make_certificate(certificate, key)
    site = filled("nginx.conf", **{
        f"/etc/letsencrypt/live/{NAME}/fullchain.pem": str(certificate),
        f"/etc/letsencrypt/live/{NAME}/privkey.pem": str(key),
        f"https://{NAME}": f"https://localhost:{https}",
        NAME: "localhost",
        BACKEND: f"127.0.0.1:{backend}",
        "listen 80;": f"listen {http};",
        "listen [::]:80;": f"listen [::]:{http};" if has_ipv6() else "",
        "listen 443 ": f"listen {https} ",
        "listen [::]:443 ssl http2;": f"listen [::]:{https} ssl http2;" if has_ipv6() else "",
        "/var/www/html": str(folder / "html"),
    })  # fmt: skip
    (folder / "site.conf").write_text(site)
    challenge = folder / "html" / ".well-known" / "acme-challenge"
    challenge.mkdir(parents=True)
    (challenge / "word").write_text("proof")
    text = DEBIAN.read_text(encoding="utf-8")
    for old, new in {
        "user www-data;": f"user {getpass.getuser()};",  # whose folder it is
        "worker_connections 768;": "worker_connections 8192;",  # as the page says
        "pid /run/nginx.pid;": f"pid {folder}/pid;",
        "/var/log/nginx": str(folder),
        "include /etc/nginx/conf.d/*.conf;": "",
        "include /etc/nginx/sites-enabled/*;": f"include {folder}/site.conf;",
        "http {": "http {" + "".join(
            f"{kind}_temp_path {folder}/{kind};"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        ),
    }.items():  # fmt: skip
        assert old in text, f"Debian's nginx.conf has no {old}"
        text = text.replace(old, new)
    (folder / "nginx.conf").write_text(text)
    command: list[str | Path] = ["nginx", "-e", folder / "error.log", "-g", "daemon off;"]
    return [*command, "-c", folder / "nginx.conf"], certificate


def make_certificate(certificate: Path, key: Path) -> None:
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate],
        check=True,
        capture_output=True,
    )  # fmt: skip


# --- Caddy ----------------------------------------------------------------------------------------------


def _caddy(folder: Path, backend: int, http: int, https: int) -> tuple[list[str | Path], Path]:
    """With its own authority, as always for `localhost`."""
    options = f"http_port {http}\n\thttps_port {https}\n\tskip_install_trust\n\tadmin off"
    site = filled("Caddyfile", **{
        f"{NAME} {{": "localhost {",
        BACKEND: f"127.0.0.1:{backend}",
        "\n{\n\tservers": f"\n{{\n\t{options}\n\tstorage file_system {folder}/caddy\n\tservers",
    })  # fmt: skip
    (folder / "Caddyfile").write_text(site)
    command: list[str | Path] = ["caddy", "run", "--adapter", "caddyfile", "--config", folder / "Caddyfile"]
    return command, folder / "caddy" / "pki" / "authorities" / "local" / "root.crt"


KINDS: dict[str, Callable[[Path, int, int, int], tuple[list[str | Path], Path]]] = {
    "nginx": _nginx,
    "caddy": _caddy,
}

# --- Both -----------------------------------------------------------------------------------------------


@contextmanager
def proxying(kind: str, folder: Path, backend: int, https: int) -> Iterator[Proxy]:
    """Run a proxy in front of a port of this machine."""
    folder.mkdir()
    http = free_port()
    command, authority = KINDS[kind](folder, backend, http, https)
    assert shutil.which(str(command[0])), f"{kind} is missing; `make proxies` installs it (Debian: {kind})"
    with (folder / "output").open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, cwd=folder)
    try:
        until = time.monotonic() + SECONDS
        while not (authority.exists() and _answers(https, authority)):
            said = (folder / "output").read_text()
            assert process.poll() is None, f"{kind} did not start:\n{said}"
            assert time.monotonic() < until, f"{kind} does not answer:\n{said}"
            time.sleep(0.05)
        yield Proxy(kind, http, https, authority)
    finally:
        process.terminate()
        process.wait(SECONDS)


def _answers(port: int, authority: Path) -> bool:
    context = ssl.create_default_context(cafile=authority)
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as plain:
            context.wrap_socket(plain, server_hostname="localhost").close()
    except OSError:
        return False
    return True


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as found:
            found.bind(("::1", 0))
    except OSError:
        return False
    return True
