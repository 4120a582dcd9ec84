"""Model: described, built, kept."""

from regard.model.build import Vocabularies, build, joined
from regard.model.checkpoint import (
    FORMAT,
    Saved,
    load_model,
    recover,
    restored,
    save_model,
    tensors_checksum,
    update_model,
)
from regard.model.config import (
    DecoderSettings,
    EncoderSettings,
    ModelSettings,
    SideSettings,
    TextSettings,
)
from regard.model.seq2seq import Seq2Seq

__all__ = [
    "FORMAT",
    "DecoderSettings",
    "EncoderSettings",
    "ModelSettings",
    "Saved",
    "Seq2Seq",
    "SideSettings",
    "TextSettings",
    "Vocabularies",
    "build",
    "joined",
    "load_model",
    "recover",
    "restored",
    "save_model",
    "tensors_checksum",
    "update_model",
]
