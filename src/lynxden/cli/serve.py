"""`lynxden serve`: the server."""

import os
import sys
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from lynxden.cli.style import console, errors
from lynxden.cli.warm import compiling
from lynxden.server.settings import from_environment


def serve(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; 0.0.0.0 for everybody on the network.")
    ] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; by default 8060.")] = None,
    data: Annotated[Path | None, typer.Option(help="Folder of the built-in database.")] = None,
    database: Annotated[
        str | None, typer.Option(help="postgresql://… to use PostgreSQL instead, for several servers.")
    ] = None,
    log_level: Annotated[str | None, typer.Option(help="debug, info, warning or error.")] = None,
    log_format: Annotated[str | None, typer.Option(help="text or json.")] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Start the server.

    Every setting can also be given as LYNXDEN_… in the environment; docs/hosting.md lists them all.
    """
    settings = from_environment(
        host=host, port=port, data=data, database=database, log_level=log_level, log_format=log_format
    )
    from lynxden.server.serve import run  # heavy

    def started(address: str) -> None:
        console.print(f"Lynxden is ready: {address}", markup=False, soft_wrap=True)
        if open_page and (
            os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or sys.platform != "linux"
        ):
            webbrowser.open(address)

    errors.print("Getting ready.", style="quiet")
    run(settings, started, compiling)
