"""Options that would do nothing are refused: whoever says one thinks that it does something."""

import pytest

from regard.cli import main

LINKS = ("--links", "gold")
WITHOUT = [
    (["evaluate", "m", "p.tsv"], ("--lower-case",), "--bleu or --chrf", ("--bleu",)),
    (["evaluate", "m", "p.tsv"], ("--lower-case",), "--bleu or --chrf", ("--chrf",)),
    *((["evaluate", "m", "p.tsv"], option, "--links", LINKS) for option in (
        ("--links-from", "0"), ("--links-reversed",), ("--links-column", "2"),
        ("--threshold", "0.3"), ("--method", "weights"), ("--link", "argmax"),
        ("--rows", "predicting"), ("--reverse", "n"),
    )),
    (["evaluate", "m", "p.tsv", *LINKS], ("--symmetrize", "union"), "--reverse", ("--reverse", "n")),
    (["align", "m", "p.tsv"], ("--symmetrize", "union"), "--reverse", ("--reverse", "n")),
    *((["align", "m", "p.tsv", "--format", form], option, "--format pharaoh", None)
      for form in ("jsonl", "npz")
      for option in (("--link", "argmax"), ("--threshold", "0"), ("--reverse", "n"))),
]  # fmt: skip
BESIDE = [
    (["show", "m", "ab"], ("--beam", "1"), ("--target", "ab")),
    (["inspect", "m", "p.tsv"], ("--beam", "5"), ("--forced",)),
    *((["align", "m", "p.tsv"], ("--threshold", "0.99"), ("--link", link))
      for link in ("argmax", "mutual", "itermax", "matching")),
    (["evaluate", "m", "p.tsv", *LINKS], ("--threshold", "0.3"), ("--link", "mutual")),
    *(([command, *models], option, ("--source-file", "s", "--target-file", "t"))
      for command, models in (("align", "m"), ("score", "m"), ("evaluate", "m"),
                              ("inspect", "m"), ("compare", "mn"))
      for option in (("--columns", "2,1"), ("--tags-column", "3"))),
]  # fmt: skip


@pytest.fixture(autouse=True)
def empty(tmp_path, monkeypatch):
    """There is nothing here: what is not refused at the door has no model, which is code one."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("command", "option", "needed", "other"), WITHOUT)
def test_an_option_that_does_nothing_without_another(command, option, needed, other, capsys):
    assert main([*command, *option]) == 2
    told = capsys.readouterr().err
    assert f"{option[0]} does nothing without {needed}: expected both or neither" in told
    assert main(command) == 1
    if other is not None:
        assert main([*command, *option, *other]) == 1


@pytest.mark.parametrize(("command", "option", "other"), BESIDE)
def test_an_option_that_does_nothing_beside_another(command, option, other, capsys):
    assert main([*command, *option, *other]) == 2
    told = capsys.readouterr().err
    assert f"{option[0]} does nothing beside {other[0]}" in told
    assert "expected one of the two" in told
    assert main([*command, *other]) == 1
    if command[-1].endswith(".tsv"):
        assert main([*command, *option]) == 1


def test_how_many_examples_where_all_are_listed(tmp_path, capsys):
    (tmp_path / "p.tsv").write_text("ab\tab\n")
    assert main(["check", "p.tsv", "--json", "--examples", "3"]) == 2
    assert "--examples does nothing beside --json" in capsys.readouterr().err
    assert main(["check", "p.tsv", "--json"]) == main(["check", "p.tsv", "--examples", "3"]) == 0


def test_a_threshold_alone_or_with_links_of_that_name(capsys):
    for words in (
        ["--threshold", "0.3"],
        ["--threshold", "0.3", "--link", "threshold"],
        ["--link", "threshold"],
    ):
        assert main(["align", "m", "p.tsv", *words]) == 1
        assert "does nothing" not in capsys.readouterr().err
