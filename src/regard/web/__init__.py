"""One server, one page: predict, look, step, and try the mechanism with one's own hands."""

from regard.web.app import make_app
from regard.web.config import WebSettings
from regard.web.server import serve

__all__ = ["WebSettings", "make_app", "serve"]
