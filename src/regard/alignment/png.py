"""A matrix of weights as a PNG image, a pixel a weight, for pictures too large for shapes."""

import struct
import zlib

import numpy as np
from jaxtyping import Float

from regard.alignment.color import colors


def encode(weights: Float[np.ndarray, "target source"]) -> bytes:
    """The image: a palette of 256 colours, and one byte a weight."""
    height, width = weights.shape
    palette = colors(np.linspace(0, 1, 256)).tobytes()
    pixels = (np.clip(np.nan_to_num(weights), 0, 1) * 255).round().astype(np.uint8)
    lines = np.concatenate([np.zeros((height, 1), np.uint8), pixels], 1).tobytes()
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = (
        (b"IHDR", header),
        (b"PLTE", palette),
        (b"IDAT", zlib.compress(lines)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(kind + data))
    return struct.pack(">I", len(data)) + kind + data + check
