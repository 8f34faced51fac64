"""`lynxden serve`: the server."""

from pathlib import Path
from typing import Annotated

import typer

from lynxden.cli.style import console
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
) -> None:
    """Start the server.

    Every setting can also be given as LYNXDEN_… in the environment; docs/hosting.md lists them all.
    """
    settings = from_environment(
        host=host, port=port, data=data, database=database, log_level=log_level, log_format=log_format
    )
    from lynxden.server.serve import run  # heavy

    run(settings, lambda address: console.print(f"Lynxden is ready: {address}", markup=False, soft_wrap=True))
