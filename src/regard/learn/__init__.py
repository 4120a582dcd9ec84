"""The mechanism, step by step, computed by the library's own parts."""

from regard.learn.lesson import Figure, Lesson, Part
from regard.learn.topics import TOPICS, Topic, lesson_on

__all__ = ["TOPICS", "Figure", "Lesson", "Part", "Topic", "lesson_on"]
