"""The topics, in the order in which they are best read."""

from collections.abc import Callable
from dataclasses import dataclass

from regard.errors import SettingsError
from regard.learn import bottleneck, exercises, formula, masking, mistakes, mixing, scoring
from regard.learn.lesson import Lesson
from regard.learn.practice import Heartbeat


@dataclass(frozen=True)
class Topic:
    """A lesson that can be asked for.

    Attributes:
        says: What it shows, in a few words.
        make: Computes it.
        updates: How many updates of small models that takes.
    """

    says: str
    make: Callable[[Heartbeat | None], Lesson]
    updates: int = 0


TOPICS = {
    "similarity": Topic("one query, five keys", lambda _: scoring.similarity()),
    "softmax": Topic("scores become weights", lambda _: scoring.weighing()),
    "context": Topic("score, normalise, mix", lambda _: mixing.mixing()),
    "decoder": Topic("five words read, three written", lambda _: mixing.decoding()),
    "scaling": Topic("why the square root of the size", lambda _: formula.scaling()),
    "formula": Topic("Q, K and V, stage by stage", lambda _: formula.pipeline()),
    "masks": Topic("before the softmax, not after it", lambda _: masking.masking()),
    "cost": Topic("what is computed, and how often", lambda _: masking.cost()),
    "bottleneck": Topic(
        "one vector for all, or a look at each", bottleneck.bottleneck, 2 * bottleneck.UPDATES
    ),
    "mistakes": Topic(
        "each wrong way, planted and found",
        mistakes.mistakes,
        len(mistakes.MISTAKES) * mistakes.UPDATES,
    ),
    "exercises": Topic("six, with worked answers", exercises.exercises, 2 * exercises.UPDATES),
}


def lesson_on(topic: str, listen: Heartbeat | None = None) -> Lesson:
    """Compute a lesson.

    Args:
        topic: Its name.
        listen: Is called after each of the topic's updates.

    Raises:
        SettingsError: There is no such topic.

    Examples:
        >>> lesson_on("softmax").figure("weights").numbers.round(3).tolist()
        [0.443, 0.297, 0.18, 0.081]
    """
    if topic not in TOPICS:
        raise SettingsError(f"unknown topic {topic!r}: expected {', '.join(TOPICS)}.")
    return TOPICS[topic].make(listen)
