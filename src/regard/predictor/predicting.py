"""From sources that are read to predictions, in constant memory."""

from collections.abc import Iterable, Iterator
from itertools import islice

from regard.errors import SettingsError
from regard.inspection import InspectionSettings
from regard.model import Saved
from regard.predictor.inspecting import Inspector
from regard.predictor.prediction import Prediction
from regard.predictor.reader import ReadSource
from regard.predictor.searcher import CHUNK, Searcher


def predicted(
    saved: Saved,
    searcher: Searcher,
    asked: Iterable[ReadSource],
    beam_size: int,
    n_best: int,
    *,
    is_tested: bool,
) -> Iterator[Prediction]:
    """Predict any number of sources, in their order.

    Args:
        saved: The model.
        searcher: Finds what it writes.
        asked: The sources, each cut as they are come to.
        beam_size: How many hypotheses are kept side by side; 1 is greedy.
        n_best: How many candidates each prediction holds.
        is_tested: Whether the best candidate's alignment says what erasing showed.

    Raises:
        SettingsError: A number is less than one.
    """
    if n_best < 1 or beam_size < 1:
        raise SettingsError(f"beam_size is {beam_size}, n_best {n_best}: both must be >= 1.")
    writer, found = searcher.writer, searcher.found(asked, beam_size, n_best)
    if not is_tested or saved.model.decoder.alignment is None:
        yield from (writer.prediction(*each, n_best) for each in found)
        return
    inspector = Inspector(saved, searcher, InspectionSettings())
    while chunk := list(islice(found, CHUNK)):
        best = [hypotheses[0] for _, hypotheses in chunk]
        maps = inspector.predicted([one for one, _ in chunk], best)
        for (one, hypotheses), alignment in zip(chunk, maps, strict=True):
            yield writer.prediction(one, hypotheses, n_best).with_alignment(alignment)
