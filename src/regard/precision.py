"""Where numbers live, and which of them must not be rounded."""

from contextlib import AbstractContextManager, nullcontext
from typing import Literal

import torch
from torch import Tensor

from regard.errors import SettingsError

Precision = Literal["auto", "float32", "bfloat16"]


def full_precision(tensor: Tensor) -> AbstractContextManager[object]:
    """Within it, automatic precision on the tensor's device is switched off."""
    kind = tensor.device.type
    return torch.autocast(kind, enabled=False) if torch.is_autocast_enabled(kind) else nullcontext()


def device_of(name: str) -> torch.device:
    """A device by its name; "auto" is the GPU where torch can use CUDA, else the CPU.

    Raises:
        SettingsError: There is no such device here.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros(1, device=device).item()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0]
        raise SettingsError(f"device {name!r} cannot be used here: {reason}") from None
    return device


def rounds_to_bfloat16(asked: Precision, device: torch.device) -> bool:
    """Whether large products are rounded to bfloat16: where that is asked for, or fast."""
    if asked != "auto":
        return asked == "bfloat16"
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported()
    return device.type == "cpu" and _has_fast_bfloat16()


def _has_fast_bfloat16() -> bool:
    return torch.cpu._is_amx_tile_supported() or torch.cpu._is_avx512_bf16_supported()
