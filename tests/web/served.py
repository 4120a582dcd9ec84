"""A server in a thread of the test, with tiny models, and a client for it."""

import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import NamedTuple

import uvicorn

from regard import Predictor
from regard.model import Saved
from regard.web import WebSettings, make_app
from tests.tiny import KINDS, model_of, settings_of, vocabularies

SHOWN = WebSettings(longest=40, batch=8, body=20_000, waiting=512, deadline=20.0)


class Answer(NamedTuple):
    status: int
    body: object
    headers: Mapping[str, str]


def predictor(kind: str = "lstm", tags: bool = False) -> Predictor:
    """A model whose parameters are random: its numbers are as good as any."""
    return Predictor(Saved(settings_of(KINDS[kind]), vocabularies(tags), model_of(kind, tags)))


class Client:
    """Asks a server."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.address = f"http://127.0.0.1:{port}"

    def ask(self, path: str, body: object = None, raw: bytes | None = None) -> Answer:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = json.dumps(body).encode() if raw is None and body is not None else raw
        method = "GET" if sent is None else "POST"
        connection.request(method, path, sent, {"content-type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        kind = answer.getheader("content-type", "")
        found = json.loads(text) if kind.startswith("application/json") else text
        return Answer(answer.status, found, {k.lower(): v for k, v in answer.getheaders()})


@contextmanager
def serving(
    models: Mapping[str, Predictor],
    settings: WebSettings = SHOWN,
    hosts: tuple[str, ...] | None = None,
) -> Iterator[Client]:
    """A server of some models, stopped in the end."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    app = make_app(models, settings, hosts)
    server = uvicorn.Server(
        uvicorn.Config(app, log_level="error", lifespan="on", timeout_graceful_shutdown=5)
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield Client(listener.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()
