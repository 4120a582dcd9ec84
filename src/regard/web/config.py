"""What a server will and will not do."""

from typing import Annotated

from pydantic import Field

from regard.settings import Count, Settings


class WebSettings(Settings):
    """Limits of a server.

    Attributes:
        longest: Most characters of a string.
        batch: Most strings of a request.
        body: Most bytes of a request.
        waiting: Most requests that may wait; further ones are turned away (503).
        deadline: After how many seconds a request that waits is given up (504).
        beam: Most hypotheses side by side.
        gathered: Most hypotheses that are predicted together: strings times beam.
        cells: Most weights of all alignments that a request may ask for, by estimate.
        farewell: How many seconds requests have to finish when the server is stopped.
    """

    longest: Count = 500
    batch: Count = 256
    body: Count = 1_000_000
    waiting: Count = 512
    deadline: Annotated[float, Field(gt=0)] = 30.0
    beam: Count = 20
    gathered: Count = 512
    cells: Count = 2_000_000
    farewell: Count = 20
