"""What a request may hold. pydantic reads it, and says what is wrong."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from regard.learn.bench import Bench, Hiding
from regard.predictor import replace_tags
from regard.settings import Count, Share
from regard.text import Pair


def _whole(text: str) -> str:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("half of a surrogate pair, which is no character")
    return text


Text = Annotated[str, AfterValidator(_whole)]
Number = Annotated[float, Field(ge=-1e6, le=1e6, allow_inf_nan=False)]
Row = Annotated[list[Number], Field(min_length=1, max_length=64)]
Matrix = Annotated[list[Row], Field(min_length=1, max_length=64)]
Place = Annotated[int, Field(ge=0)]


class Request(BaseModel):
    """Any request: nothing that is not known is passed over."""

    model_config = ConfigDict(extra="forbid", strict=True)


class GivenSource(Request):
    """One string to be read.

    Attributes:
        source: The string.
        tags: Its tags, where the task has them, such as "V;PST".
    """

    source: Text
    tags: Text | None = None


class GivenPair(GivenSource):
    """One string with its target.

    Attributes:
        target: What is written.
    """

    target: Text


class PredictRequest(Request):
    """Strings to be predicted.

    Attributes:
        sources: The strings, each alone or with its tags.
        model: The model's name; the first if left out.
        beam_size: Hypotheses side by side; 1 is greedy.
        n_best: How many candidates each prediction has; the beam is as wide at least.
        alignments: Whether each candidate comes with its alignment.
    """

    sources: list[Text | GivenSource]
    model: Text | None = None
    beam_size: Count = 1
    n_best: Count = 1
    alignments: bool = False


class PairsRequest(Request):
    """Given targets.

    Attributes:
        pairs: Sources with their targets.
        model: The model's name; the first if left out.
    """

    pairs: list[GivenPair]
    model: Text | None = None


class InspectRequest(GivenSource):
    """One string whose map is to be tested.

    Attributes:
        target: What is written; what the model writes if left out.
        beam_size: Hypotheses side by side.
        model: The model's name; the first if left out.
    """

    target: Text | None = None
    beam_size: Count = 1
    model: Text | None = None


class StepRequest(GivenPair):
    """One step of writing a target, and what is changed about its weights.

    Attributes:
        step: Which symbol, from one; one more is the end.
        erased: Source positions that get no weight.
        moved: Source positions that get just so much.
        model: The model's name; the first if left out.
    """

    step: Count
    erased: list[Place] = []
    moved: dict[str, Share] = {}
    model: Text | None = None


class LookRequest(Request):
    """Operands of a look; see `regard.learn.bench.Bench`.

    Attributes:
        query: One row a query.
        keys: One row a position.
        values: One row a position; the keys if left out.
        mask: Whether each position may be looked at.
        score: How well a key answers.
        scale: A factor in the place of the score's own.
        temperature: What the scores are divided by.
        hiding: When hidden positions lose their weight.
        size: How many numbers queries and keys have in all, the further ones at random.
        step: How far the first query is moved.
    """

    query: Matrix
    keys: Matrix
    values: Matrix | None = None
    mask: list[bool] | None = None
    score: Literal["dot", "scaled dot", "cosine"] = "dot"
    scale: Number | None = None
    temperature: Annotated[float, Field(ge=1e-3, le=1e3)] = 1.0
    hiding: Hiding = "before"
    size: Annotated[int, Field(ge=1, le=4096)] | None = None
    step: Row | None = None

    def bench(self) -> Bench:
        """The same as the library's record."""
        return Bench(
            self.query,
            self.keys,
            self.values,
            self.mask,
            self.score,
            self.scale,
            self.temperature,
            self.hiding,
            self.size,
            self.step,
        )


def pair_of(asked: str | GivenSource) -> Pair:
    """A source to be predicted."""
    if isinstance(asked, str):
        return Pair(asked, "")
    return with_tags(asked, "")


def with_tags(asked: GivenSource, target: str) -> Pair:
    """A source with its target and its tags."""
    return replace_tags(Pair(asked.source, target), asked.tags)
