"""Carries out `regard info`."""

import json
from pathlib import Path
from typing import cast

from regard.errors import CheckpointError
from regard.model import Saved, load_model


def carry_out(folder: Path, *, as_json: bool) -> None:
    """Say what the folder holds."""
    table = described(load_model(folder), folder)
    if as_json:
        print(json.dumps(table, ensure_ascii=False))
        return
    for name, value in table.items():
        if value is None:
            continue
        if isinstance(value, dict):
            print(name)
            for inner, part in cast(dict[str, object], value).items():
                print(f"  {inner:<18} {_shown(part)}")
        else:
            print(f"{name:<20} {_shown(value)}")


def described(saved: Saved, folder: Path) -> dict[str, object]:
    """The folder's contents as plain tables."""
    vocabularies, settings = saved.vocabularies, saved.settings
    tags = vocabularies.tags
    return {
        "folder": str(folder),
        "format": saved.format,
        "task": f"{settings.text.source.symbols} to {settings.text.target.symbols}"
        + ("" if tags is None else ", with tags"),
        "parameters": sum(parameter.numel() for parameter in saved.model.parameters()),
        "source_symbols": len(vocabularies.source.symbols),
        "target_symbols": len(vocabularies.target.symbols),
        "tags": None if tags is None else len(tags.symbols),
        "alignment": saved.model.decoder.alignment,
        "scores": _scores(saved.log, folder),
        "training": dict(saved.training),
        "settings": settings.to_table(),
    }


def _scores(log: str, folder: Path) -> dict[str, object] | None:
    try:
        rows = [_object(json.loads(line, parse_constant=_refused)) for line in log.splitlines()]
        final = [_object(row["dev"]) for row in rows if "dev" in row]
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"{folder}/training.jsonl: is damaged: {error}.") from None
    if final:
        return final[-1]
    best = [row for row in rows if row.get("is_best")]
    return best[-1] if best else None


def _refused(name: str) -> object:
    raise ValueError(f"{name} is no number")


def _object(found: object) -> dict[str, object]:
    if not isinstance(found, dict):
        raise ValueError("a line holds no object")
    return cast(dict[str, object], found)


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(
            f"{name} {_shown(part)}" for name, part in cast(dict[str, object], value).items()
        )
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
