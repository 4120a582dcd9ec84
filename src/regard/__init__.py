"""Attention-based sequence-to-sequence models that one can see through.

    import regard

    model = regard.train("train.tsv", dev="dev.tsv")
    prediction = model.predict("through")
    print(prediction.text)
    print(prediction.alignment)

Names are loaded when they are first used, so that the command line answers at
once; `__init__.pyi` beside this file says the same to editors and type checkers.
"""

from importlib import import_module

from regard.version import VERSION

_HOMES = {
    "AdditiveScore": "attention",
    "Alignment": "alignment",
    "Attended": "attention",
    "Attention": "attention",
    "CheckpointError": "errors",
    "ConcatScore": "attention",
    "CosineScore": "attention",
    "DataError": "errors",
    "DotScore": "attention",
    "Evaluation": "evaluation",
    "GeneralScore": "attention",
    "Inspection": "inspection",
    "InspectionSettings": "inspection",
    "KindError": "errors",
    "Memory": "attention",
    "MissingExtraError": "errors",
    "MultiHeadAttention": "attention",
    "Pair": "text",
    "Prediction": "predictor",
    "Predictor": "predictor",
    "RegardError": "errors",
    "RunSettings": "training",
    "ScaledDotScore": "attention",
    "Score": "attention",
    "Seq2Seq": "model",
    "SettingsError": "errors",
    "ShapeError": "errors",
    "StoppedError": "errors",
    "Summary": "attention",
    "Vocabulary": "text",
    "VocabularyError": "errors",
    "attend": "attention",
    "causal_mask": "attention",
    "context_jacobian": "attention",
    "length_mask": "attention",
    "load": "predictor",
    "softmax": "attention",
    "sparsemax": "attention",
    "summarize": "attention",
    "train": "training",
}

__version__ = VERSION
__all__ = sorted(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'regard' has no attribute {name!r}")
    value = vars(import_module(f"regard.{_HOMES[name]}"))[name]
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
