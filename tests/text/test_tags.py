"""Tags: nested, joined, and as a model was taught to read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import DataError
from regard.text import parts_of, tags_of, told_of

FEATURES = st.sampled_from(["N", "V", "1", "SG", "PL", "PSS", "A+B", "C++", "Case=Nom", "É"])
NESTED = st.recursive(
    FEATURES,
    lambda inner: st.builds(
        lambda name, parts: f"{name}({';'.join(parts)})", FEATURES, st.lists(inner, min_size=1)
    ),
    max_leaves=6,
)
WRITTEN = st.lists(NESTED, min_size=1, max_size=4).map(";".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("V;PST;3;SG", "V PST 3 SG"),
        ("Case=Nom|Number=Sing", "Case=Nom Number=Sing"),
        ("V, PST  3", "V PST 3"),
        ("N;ABL(PL;PSS(1,PL))", "N ABL ABL:PL ABL:PSS PSS:1 PSS:PL"),
        ("V;NOM(1,SG);ACC(3,PL)", "V NOM NOM:1 NOM:SG ACC ACC:3 ACC:PL"),
        ("A(b)c", "A A:b c"),
        ("A(b)(c)", "A A:b c"),
        ("A;(b;c)", "A b c"),
        ("A (b)", "A A:b"),
        ("A+B(c)", "A+B B:c"),
        ("A + B; A(b) + C", "A+B A A:b C"),
        ("A(b)+B(c)", "A A:b B B:c"),
        ("N;N", "N"),
        ("(PL)", "PL"),
        ("A(b", "A A:b"),
        ("a)b", "a b"),
        ("A()", "A"),
        ("", ""),
    ],
)
def test_features_are_told_with_what_they_stand_in(text, expected):
    assert tags_of(text) == tuple(expected.split())


def test_a_list_says_what_its_text_would_say():
    assert tags_of(["a", "b(c)", "a"]) == tags_of("a;b(c)") == ("a", "b", "b:c")
    assert tags_of(("a", 1)) == ("a", "1")
    assert tags_of([]) == tags_of([""]) == ()


@pytest.mark.parametrize("tags", [3, None, 1.5, {"a": 1}, [None], [["a"]], [1.5]])
def test_anything_else_is_refused(tags):
    with pytest.raises(DataError, match="expected tags"):
        tags_of(tags)


def test_who_owns_what_makes_two_sets():
    ours, mine = "N;ABL(SG;PSS(1,PL))", "N;ABL(PL;PSS(1,SG))"
    assert set(tags_of(ours)) != set(tags_of(mine))


@given(WRITTEN)
def test_what_was_read_is_read_again(text):
    tags = tags_of(text)
    assert tags_of(";".join(tags)) == tags
    assert parts_of(parts_of(tags)) == parts_of(tags)
    assert told_of(tags, [*parts_of(tags), "P:1"]) == parts_of(tags)


@pytest.mark.parametrize(
    ("tag", "expected"),
    [("A+B", "A B"), ("P:1+2", "P:1 P:2"), ("C++", "C++"), ("+", "+"), ("a", "a"), ("a:", "a:")],
)
def test_joined_features_are_learnt_apart(tag, expected):
    assert parts_of([tag]) == tuple(expected.split())


@pytest.mark.parametrize(
    ("tags", "known", "expected"),
    [
        ("A+B;P(1)", ["A+B", "P:1"], "A+B P P:1"),
        ("A+B;P(1)", ["A", "B", "P:2"], "A B P P:1"),
        ("A;A+B;B", ["A", "B"], "A B"),
        ("P(1);Q(1)", ["P", "Q", "1"], "P 1 Q 1"),
        ("P(A+B)", ["P", "A+B"], "P A+B"),
        ("P(A+B)", ["P", "P:A", "A+B"], "P P:A P:B"),
        ("P(1)", [], "P 1"),
    ],
)
def test_a_model_is_told_what_it_was_taught(tags, known, expected):
    assert told_of(tags_of(tags), known) == tuple(expected.split())
