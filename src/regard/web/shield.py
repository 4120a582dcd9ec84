"""What stands before every request: limits on its size, and headers on its answer.

Nothing on the page may come from anywhere else, no script may be written into
it, and no other page may show it in a frame.
"""

import json
import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass

Message = MutableMapping[str, object]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)

_PORT = re.compile(r":\d+$")
_DIGITS = 18


class _TooLargeError(Exception):
    pass


@dataclass(frozen=True)
class _Refusal:
    status: int
    text: str


@dataclass(frozen=True)
class Shield:
    """An application behind limits and headers.

    Attributes:
        app: What is shielded.
        most: The most bytes of a request's body.
        hosts: The names by which it may be called; any if None. A page of
            somebody else whose name leads here is turned away by this.
    """

    app: App
    most: int
    hosts: tuple[str, ...] | None = None

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        refusal = self._refusal(_headers(scope))
        if refusal is None:
            await self._pass_on(scope, receive, send)
        else:
            await _refuse(send, refusal)

    def _refusal(self, headers: Mapping[bytes, bytes]) -> _Refusal | None:
        """Why a request is turned away before anything of it is read."""
        host = headers.get(b"host", b"").decode("latin-1")
        if self.hosts is not None and _PORT.sub("", host).lower() not in self.hosts:
            return _Refusal(421, f"there is no {host!r} here.")
        is_foreign = headers.get(b"sec-fetch-site") == b"cross-site"
        if is_foreign and headers.get(b"sec-fetch-mode") != b"navigate":
            return _Refusal(403, "this is not for pages of others.")
        length = headers.get(b"content-length", b"0")
        # So many digits are too large as well, and no number for Python.
        if length.isdigit() and (len(length) > _DIGITS or int(length) > self.most):
            return self._too_large()
        return None

    def _too_large(self) -> _Refusal:
        return _Refusal(413, f"the body is too large: at most {self.most:,} bytes.")

    async def _pass_on(self, scope: Message, receive: Receive, send: Send) -> None:
        read, has_begun, is_over = 0, False, False

        async def limited() -> Message:
            nonlocal read, is_over
            message = await receive()
            body = message.get("body", b"")
            assert isinstance(body, bytes)
            read += len(body)
            if read > self.most:
                is_over = True
                raise _TooLargeError
            return message

        async def headed(message: Message) -> None:
            nonlocal has_begun
            if is_over and not has_begun:
                return  # whatever the application makes of half a body
            if message["type"] == "http.response.start":
                has_begun = True
                headers = message.get("headers", [])
                assert isinstance(headers, list | tuple)
                message = {**message, "headers": [*headers, *HEADERS]}
            await send(message)

        with suppress(_TooLargeError):
            await self.app(scope, limited, headed)
        if is_over and not has_begun:
            await _refuse(send, self._too_large())


def _headers(scope: Message) -> dict[bytes, bytes]:
    headers = scope["headers"]
    assert isinstance(headers, list | tuple)
    return dict(headers)


async def _refuse(send: Send, refusal: _Refusal) -> None:
    body = json.dumps({"error": refusal.text}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"connection", b"close"),
        (b"content-length", str(len(body)).encode()),
        *HEADERS,
    ]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
