"""Text: what is read and written."""

from regard.text.batch import Batch, BatchMaker, Corpus, Source, Tokens, source_of
from regard.text.lines import open_output, read_lines
from regard.text.pairs import (
    Columns,
    Pair,
    Parallel,
    pairs_of,
    read_pairs,
    read_parallel,
    read_parallel_rows,
    read_rows,
    tags_of,
)
from regard.text.samples import sample_path
from regard.text.symbols import Form, Segmenter, Symbol, SymbolKind, normalized
from regard.text.toys import Toy, make_toys
from regard.text.vocabulary import END, PADDING, SPECIAL, START, UNKNOWN, Vocabulary

__all__ = [
    "END",
    "PADDING",
    "SPECIAL",
    "START",
    "UNKNOWN",
    "Batch",
    "BatchMaker",
    "Columns",
    "Corpus",
    "Form",
    "Pair",
    "Parallel",
    "Segmenter",
    "Source",
    "Symbol",
    "SymbolKind",
    "Tokens",
    "Toy",
    "Vocabulary",
    "make_toys",
    "normalized",
    "open_output",
    "pairs_of",
    "read_lines",
    "read_pairs",
    "read_parallel",
    "read_parallel_rows",
    "read_rows",
    "sample_path",
    "source_of",
    "tags_of",
]
