"""Text: what is read and written."""

from regard.text.batch import Batch, BatchMaker, Corpus, Sequences, Source, Tokens, source_of
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
from regard.text.subwords import TIE, Pieces, Symbol, learn_pieces
from regard.text.symbols import Form, Segmenter, SymbolKind, are_hangul, are_phones, normalized
from regard.text.toys import Toy, make_toys
from regard.text.vocabulary import END, PADDING, SPECIAL, START, UNKNOWN, Vocabulary

__all__ = [
    "END",
    "PADDING",
    "SPECIAL",
    "START",
    "TIE",
    "UNKNOWN",
    "Batch",
    "BatchMaker",
    "Columns",
    "Corpus",
    "Form",
    "Pair",
    "Parallel",
    "Pieces",
    "Segmenter",
    "Sequences",
    "Source",
    "Symbol",
    "SymbolKind",
    "Tokens",
    "Toy",
    "Vocabulary",
    "are_hangul",
    "are_phones",
    "learn_pieces",
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
