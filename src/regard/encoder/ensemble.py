"""Several encoders read the same source, each in its own way.

What they make of it is laid side by side, so one encoding holds all; the
decoder of an ensemble takes it apart again.
"""

from collections.abc import Sequence
from typing import cast

import torch
from torch import nn

from regard.encoder.encoder import Encoder, Encoding
from regard.text import Source


class EnsembleEncoder(Encoder):
    """Encoders of one kind and size, side by side.

    Args:
        members: The encoders, at least one.
    """

    def __init__(self, members: Sequence[Encoder]) -> None:
        super().__init__()
        self.members = nn.ModuleList(members)
        self.state_size = sum(member.state_size for member in members)
        self.final_size = sum(member.final_size for member in members)
        self.told_size = sum(member.told_size for member in members)

    def forward(self, source: Source) -> Encoding:
        """Read with each, and put the states of a position side by side."""
        each = [cast(Encoder, member).forward(source) for member in self.members]
        return Encoding(
            torch.cat([one.states for one in each], -1),
            each[0].mask,
            torch.cat([one.final for one in each], -1),
            torch.cat([one.told for one in each], -1),
            each[0].tag_count,
        )
