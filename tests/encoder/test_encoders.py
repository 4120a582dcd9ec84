import pytest
import torch
from jaxtyping import TypeCheckError

from regard import ShapeError
from regard.encoder import Encoding
from tests.tiny import model_of, one_of, sources

ENCODERS = ["lstm", "gru", "two layers", "transformer"]


@pytest.mark.parametrize("tags", [False, True])
@pytest.mark.parametrize("kind", ENCODERS)
def test_padding_and_batch_mates_change_nothing(kind, tags):
    encoder = model_of(kind, tags).encoder
    source = sources(2, 7, 4, tags=tags)
    among = encoder(source)
    for row in range(3):
        single = one_of(source, row)
        alone = encoder(single)
        kept = among.mask[row]
        torch.testing.assert_close(among.states[row, kept], alone.states[0], atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(among.final[row], alone.final[0], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", ["lstm", "transformer"])
def test_the_order_of_tags_means_nothing(kind):
    encoder = model_of(kind, tags=True).encoder
    source = sources(3, 3, 3, tags=True)
    turned = type(source)(source.tokens, source.mask, source.tags.flip(1), source.tags_mask.flip(1))
    first, second = encoder(source), encoder(turned)
    torch.testing.assert_close(first.final, second.final)
    torch.testing.assert_close(first.states[:, :4], second.states[:, :4])
    torch.testing.assert_close(first.states[:, 4:], second.states[:, 4:].flip(1))


@pytest.mark.parametrize("kind", ["lstm", "transformer"])
def test_tags_change_what_is_read(kind):
    encoder = model_of(kind, tags=True).encoder
    source = sources(3, tags=True)
    other = type(source)(source.tokens, source.mask, (source.tags - 3) % 3 + 4, source.tags_mask)
    assert not torch.allclose(encoder(source).states[:, :4], encoder(other).states[:, :4])


@pytest.mark.parametrize("kind", ["lstm", "gru", "transformer"])
def test_a_state_knows_what_stands_before_and_behind(kind):
    encoder = model_of(kind).encoder
    source = sources(5)
    for changed in (0, 4):
        tokens = source.tokens.clone()
        tokens[0, changed] = 4 + (tokens[0, changed] - 3) % 8
        other = type(source)(tokens, source.mask, source.tags, source.tags_mask)
        assert not torch.allclose(encoder(source).states[0, 2], encoder(other).states[0, 2])


def test_an_encoding_of_two_batches_is_refused():
    parts = (torch.ones(2, 3, 4), torch.ones(2, 3) > 0, torch.ones(3, 4), torch.ones(2, 0))
    with pytest.raises((ShapeError, TypeCheckError)):
        Encoding(*parts)
    record = object.__new__(Encoding)
    for name, part in zip(("states", "mask", "final", "told"), parts, strict=True):
        object.__setattr__(record, name, part)
    with pytest.raises(ShapeError, match="one batch"):
        record.__post_init__()
