"""The colours of weights: cividis, sequential and safe for the colour-blind.

Nuñez, Anderton and Renslow (2018), arXiv:1712.01662. Zero is dark blue, one is
yellow, always: two pictures can be compared.
"""

import numpy as np
from jaxtyping import Float, UInt8

# Eleven points of the map, at weights 0, 0.1, ... 1; what is between is interpolated.
_POINTS = np.array(
    [
        (0, 34, 78),
        (8, 51, 112),
        (53, 69, 108),
        (79, 87, 108),
        (102, 105, 112),
        (125, 124, 120),
        (148, 142, 119),
        (174, 163, 113),
        (200, 184, 102),
        (229, 207, 82),
        (254, 232, 56),
    ]
)


def colors(weights: Float[np.ndarray, "*any"]) -> UInt8[np.ndarray, "*any 3"]:
    """Red, green and blue for each weight."""
    places = np.linspace(0, 1, len(_POINTS))
    channels = [np.interp(weights, places, _POINTS[:, channel]) for channel in range(3)]
    return np.stack(channels, -1).round().astype(np.uint8)


def hexadecimal(weight: float) -> str:
    """The colour of one weight, as in a web page."""
    red, green, blue = colors(np.array([weight]))[0]
    return f"#{red:02x}{green:02x}{blue:02x}"
