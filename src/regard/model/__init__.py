"""Model: described, built, kept."""

from regard.model.build import Vocabularies, build, joined
from regard.model.checkpoint import (
    Saved,
    load_model,
    previous_of,
    recover,
    restored,
    save_model,
    update_model,
)
from regard.model.config import (
    MARGIN,
    DecoderSettings,
    EncoderSettings,
    ModelSettings,
    SideSettings,
    TextSettings,
    UnseenPolicy,
)
from regard.model.seq2seq import Seq2Seq
from regard.model.verified import DAMAGE, FORMAT, first_line, own_file, tensors_checksum

__all__ = [
    "DAMAGE",
    "FORMAT",
    "MARGIN",
    "DecoderSettings",
    "EncoderSettings",
    "ModelSettings",
    "Saved",
    "Seq2Seq",
    "SideSettings",
    "TextSettings",
    "UnseenPolicy",
    "Vocabularies",
    "build",
    "first_line",
    "joined",
    "load_model",
    "own_file",
    "previous_of",
    "recover",
    "restored",
    "save_model",
    "tensors_checksum",
    "update_model",
]
