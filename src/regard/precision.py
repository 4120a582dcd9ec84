"""Where numbers live, and which of them must not be rounded."""

from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor

from regard.errors import SettingsError


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
