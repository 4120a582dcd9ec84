"""How a map is inspected, and from where on a figure counts."""

from typing import Annotated

from pydantic import Field

from regard.alignment import EFFECT, ShapeSettings
from regard.settings import Count, Settings


class InspectionSettings(Settings):
    """How a map is inspected.

    Attributes:
        effect: From how many nats on an effect counts.
        permutations: How often each row's weights are permuted.
        substitutes: How many other symbols take the place of a source symbol.
        word_pairs: On how many pairs, at most, substitution is tried; 0 for none.
        sample: How many pairs the exact checks are made on.
        least_pairs: With fewer there is no verdict.
        resamples: How often pairs are drawn anew for the intervals.
        seed: Of all that is drawn.
        shape: From where on a shape is odd.
    """

    effect: Annotated[float, Field(gt=0)] = EFFECT
    permutations: Count = 8
    substitutes: Count = 4
    word_pairs: Annotated[int, Field(ge=0)] = 200
    sample: Annotated[int, Field(ge=2)] = 16
    least_pairs: Count = 20
    resamples: Count = 1000
    seed: Annotated[int, Field(ge=0, lt=2**62)] = 0
    shape: ShapeSettings = ShapeSettings()
