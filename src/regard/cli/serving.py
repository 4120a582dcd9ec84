"""Carries out `regard serve`."""

import importlib.util
import socket
from collections.abc import Sequence
from pathlib import Path

from regard.cli.words import say
from regard.errors import MissingExtraError, SettingsError
from regard.predictor import Predictor


def carry_out(
    folders: Sequence[Path], *, host: str, port: int, assignments: Sequence[str], device: str
) -> None:
    """Load the models, say where they are served, and serve them."""
    for name in ("fastapi", "uvicorn"):
        if importlib.util.find_spec(name) is None:
            raise MissingExtraError("serving", "serve")
    from regard.web import WebSettings, serve

    settings = WebSettings()
    for assignment in assignments:
        settings = settings.changed(assignment)
    models = {name: Predictor.load(folder, device) for name, folder in _named(folders).items()}
    port = _open_port(host, port)
    shown = f"[{host}]" if ":" in host else host
    what = ", ".join(models) or "the laboratory"
    say(f"serving {what} at http://{shown}:{port} (Ctrl-C ends it; /docs describes the service)")
    serve(models, host=host, port=port, settings=settings)


def _named(folders: Sequence[Path]) -> dict[str, Path]:
    """Each folder by its own name, or by its path where two share a name."""
    names = [folder.resolve().name for folder in folders]
    named: dict[str, Path] = {}
    for name, folder in zip(names, folders, strict=True):
        chosen = name if names.count(name) == 1 else str(folder)
        if chosen in named:
            raise SettingsError(f"the model {folder} is given twice.")
        named[chosen] = folder
    return named


def _open_port(host: str, port: int) -> int:
    """The port, or a free one for 0; a sentence if it cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((host, port))
        except OSError as error:
            raise SettingsError(f"cannot listen at {host}:{port}: {error.strerror}.") from None
        return int(tried.getsockname()[1])
