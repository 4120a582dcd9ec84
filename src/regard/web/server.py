"""Serves until it is told to stop; what was begun is finished."""

from collections.abc import Mapping

import uvicorn

from regard.predictor import Predictor
from regard.web.app import make_app
from regard.web.config import WebSettings

_LOCAL = ("127.0.0.1", "localhost", "::1", "[::1]")


def serve(models: Mapping[str, Predictor], *, host: str, port: int, settings: WebSettings) -> None:
    """Serve some models.

    Args:
        models: By their names; without any there is the laboratory alone.
        host: Where to listen.
        port: At which port.
        settings: The limits.
    """
    is_local = host in _LOCAL or host.startswith("127.")
    names = (*_LOCAL, host) if is_local else None
    app = make_app(models, settings, hosts=names)
    uvicorn.run(
        app,
        host=host,
        port=port,
        log_level="warning",
        lifespan="on",
        access_log=False,
        timeout_graceful_shutdown=settings.farewell,
        server_header=False,
        date_header=False,
    )
