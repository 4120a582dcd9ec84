"""Attention: score, normalise, mix."""

from regard.attention.attention import Attention, mix
from regard.attention.blocks import look_in_blocks, renormalize
from regard.attention.coverage import add_coverage, no_coverage
from regard.attention.functions import attend, context_jacobian
from regard.attention.look import Attended
from regard.attention.masks import causal_mask, length_mask, window_mask
from regard.attention.memory import Memory
from regard.attention.multihead import MultiHeadAttention
from regard.attention.normalizers import Normalizer, softmax, sparsemax
from regard.attention.relative_bias import RelativeBias
from regard.attention.scores import (
    AdditiveScore,
    ConcatScore,
    CosineScore,
    DotScore,
    GeneralScore,
    ScaledDotScore,
    Score,
)
from regard.attention.streaming import summarize
from regard.attention.summary import Summary

__all__ = [
    "AdditiveScore",
    "Attended",
    "Attention",
    "ConcatScore",
    "CosineScore",
    "DotScore",
    "GeneralScore",
    "Memory",
    "MultiHeadAttention",
    "Normalizer",
    "RelativeBias",
    "ScaledDotScore",
    "Score",
    "Summary",
    "add_coverage",
    "attend",
    "causal_mask",
    "context_jacobian",
    "length_mask",
    "look_in_blocks",
    "mix",
    "no_coverage",
    "renormalize",
    "softmax",
    "sparsemax",
    "summarize",
    "window_mask",
]
