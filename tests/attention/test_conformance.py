"""Numbers that others chose, forwards and backwards; skipped where they are not at hand."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch

from regard import AdditiveScore, attend, summarize
from regard.layers import Recurrence, TwoWayRecurrence

# The cases' own checker leaves its archives open.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def checker(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("check", folder / "check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def opened(query, keys, attend_mask, offset):
    if offset is None:
        return attend_mask
    places = torch.arange(keys.shape[-2]) - torch.arange(query.shape[-2])[:, None]
    causal = (places <= offset[:, None, None])[:, None]
    return causal if attend_mask is None else attend_mask & causal


def dense(q, k, v, attend=None, bias=None, scale=None, causal_offset=None):
    mask = opened(q, k, attend, causal_offset)
    return _attend(q, k, v, mask=mask, bias=bias, scale=scale)


def streamed(q, k, v, attend=None, bias=None, scale=None, causal_offset=None):
    mask = opened(q, k, attend, causal_offset)
    return summarize(q, k, v, mask=mask, bias=bias, scale=scale, block=3).context, None


_attend = attend


@pytest.mark.parametrize("function", [dense, streamed])
def test_all_cases_pass(conformance: Path, function):
    counts, failures = checker(conformance).run(function, [str(conformance)], "ABC")
    assert failures == []
    assert sum(total for _, total in counts.values()) > 270


@pytest.mark.parametrize("dtype", ["fp32", "fp64"])
def test_summaries_of_the_edge_cases(conformance: Path, dtype):
    index = json.loads((conformance / "edge" / "index.json").read_text())
    cases = [case for case in index if case["file"].endswith(f"__{dtype}.npz")]
    for case in cases:
        arrays = np.load(conformance / "edge" / case["file"])
        parts = [torch.tensor(arrays[name]) for name in "qkv"]
        mask = torch.tensor(arrays["attend"]) if "attend" in arrays else None
        offset = torch.zeros(1, dtype=torch.long) if case["causal"] else None
        mask = opened(parts[0], parts[1], mask, offset)
        bias = torch.tensor(arrays["bias"]) if "bias" in arrays else None
        summary = summarize(*parts, mask=mask, bias=bias, scale=case["scale"], block=2)
        for name, got in (("lse", summary.log_sum_exp), ("entropy", summary.entropy)):
            if name not in arrays:
                continue
            want = torch.tensor(arrays[name], dtype=torch.float64)
            known = want.isfinite()
            size = want[known].abs().max() if known.any() else torch.tensor(0.0)
            slack = case["rel_tol"] * max(float(size), 1.0)
            assert torch.equal(got.isneginf() & ~known, want.isneginf()), (case["file"], name)
            worst = (got.double() - want)[known].abs().max() if known.any() else 0.0
            assert worst <= slack, (case["file"], name)


def with_identity(size: int, vector) -> AdditiveScore:
    score = AdditiveScore(size, size, size=size).double()
    with torch.no_grad():
        score.query.weight.copy_(torch.eye(size))
        score.key.weight.copy_(torch.eye(size))
        score.key.bias.zero_()
        score.vector.weight.copy_(torch.as_tensor(vector, dtype=torch.float64).reshape(1, -1))
    return score


def test_keras_additive(conformance: Path):
    arrays = np.load(conformance / "peers" / "keras_additive.npz")
    query, keys, values = (torch.tensor(arrays[name]).double() for name in "qkv")
    mask = torch.tensor(arrays["attend"]) if "attend" in arrays else None
    score = with_identity(query.shape[-1], arrays["additive_v"])
    attended = attend(query, keys, values, mask=mask, score=score)
    np.testing.assert_allclose(attended.context.detach(), arrays["context"], atol=2e-6)
    if "weights" in arrays:
        np.testing.assert_allclose(attended.weights.detach(), arrays["weights"], atol=2e-6)


def test_published_additive(conformance: Path):
    cases = json.loads((conformance / "published.json").read_text())
    for case in cases:
        if case["kind"] == "additive":
            score = with_identity(len(case["q"][0]), case["additive_v"])
            parts = (torch.tensor(case[name], dtype=torch.float64) for name in "qkv")
            context, weights = attend(*parts, score=score)
            np.testing.assert_allclose(weights.detach(), case["weights"], atol=case["atol"])
            np.testing.assert_allclose(context.detach(), case["context"], atol=4 * case["atol"])


def loaded(layer: torch.nn.Module, arrays, direction: int) -> None:
    with torch.no_grad():
        for ours, theirs in (
            ("weight_ih_l0", "torch_weight_ih"),
            ("weight_hh_l0", "torch_weight_hh"),
            ("bias_ih_l0", "torch_bias_ih"),
            ("bias_hh_l0", "torch_bias_hh"),
        ):
            layer.get_parameter(ours).copy_(torch.tensor(arrays[theirs][direction]))


def test_lstm_of_another_library(conformance: Path):
    arrays = np.load(conformance / "peers" / "ort_lstm_forward.npz")
    inputs = torch.tensor(arrays["X"]).transpose(0, 1)
    size = arrays["torch_weight_hh"].shape[-1]
    recurrence = Recurrence(inputs.shape[-1], size, cell="lstm")
    loaded(recurrence.layers[0], arrays, 0)
    carried = None
    if "initial_h" in arrays:
        carried = torch.cat(
            [torch.tensor(arrays[name][0]) for name in ("initial_h", "initial_c")], -1
        )
    states = recurrence(inputs, carried).states
    np.testing.assert_allclose(
        states.detach().transpose(0, 1), arrays["Y"][:, 0], atol=2e-6, rtol=1e-5
    )


def test_gru_of_another_library_reads_both_ways_within_the_lengths(conformance: Path):
    arrays = np.load(conformance / "peers" / "ort_gru_bidirectional_lengths.npz")
    inputs = torch.tensor(arrays["X"]).transpose(0, 1)
    size = arrays["torch_weight_hh"].shape[-1]
    both = TwoWayRecurrence(inputs.shape[-1], size, cell="gru")
    loaded(both.forwards[0].layers[0], arrays, 0)
    loaded(both.backwards[0].layers[0], arrays, 1)
    lengths = torch.tensor(arrays["sequence_lens"]).long()
    states = both(inputs, lengths).states.detach()
    real = torch.arange(inputs.shape[1]) < lengths[:, None]
    expected = torch.tensor(arrays["Y"]).permute(2, 0, 1, 3).flatten(2)
    np.testing.assert_allclose(states[real], expected[real], atol=2e-6, rtol=1e-5)
