"""Search: choose among what could be written."""

from regard.search.beam import beam
from regard.search.forced import forced
from regard.search.greedy import greedy
from regard.search.hypothesis import Hypothesis

__all__ = ["Hypothesis", "beam", "forced", "greedy"]
