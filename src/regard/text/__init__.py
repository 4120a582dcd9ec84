"""Text: what is read and written."""

from regard.text.ailments import KINDS, Finding, Findings, Kind
from regard.text.batch import Batch, BatchMaker, Corpus, Sequences, Source, Tokens, source_of
from regard.text.columns import Columns
from regard.text.cure import LOG, Copy, mend
from regard.text.doctor import STEPS, Report, doubts, examine
from regard.text.lines import open_output, read_lines
from regard.text.pairs import (
    Pair,
    Parallel,
    pairs_of,
    read_pairs,
    read_parallel,
    read_parallel_rows,
    read_rows,
)
from regard.text.parquet import is_parquet
from regard.text.samples import sample_path
from regard.text.several import Files
from regard.text.sides import HEAD, LONGEST, segmenter_of
from regard.text.store import TokenStore, checksum_of, taking_in
from regard.text.subwords import TIE, Pieces, Symbol, learn_pieces
from regard.text.symbols import Form, Segmenter, SymbolKind, normalized
from regard.text.tags import parts_of, tags_of, told_of
from regard.text.toys import Toy, make_toys
from regard.text.vocabulary import END, PADDING, SPECIAL, START, UNKNOWN, Vocabulary

__all__ = [
    "END",
    "HEAD",
    "KINDS",
    "LOG",
    "LONGEST",
    "PADDING",
    "SPECIAL",
    "START",
    "STEPS",
    "TIE",
    "UNKNOWN",
    "Batch",
    "BatchMaker",
    "Columns",
    "Copy",
    "Corpus",
    "Files",
    "Finding",
    "Findings",
    "Form",
    "Kind",
    "Pair",
    "Parallel",
    "Pieces",
    "Report",
    "Segmenter",
    "Sequences",
    "Source",
    "Symbol",
    "SymbolKind",
    "TokenStore",
    "Tokens",
    "Toy",
    "Vocabulary",
    "checksum_of",
    "doubts",
    "examine",
    "is_parquet",
    "learn_pieces",
    "make_toys",
    "mend",
    "normalized",
    "open_output",
    "pairs_of",
    "parts_of",
    "read_lines",
    "read_pairs",
    "read_parallel",
    "read_parallel_rows",
    "read_rows",
    "sample_path",
    "segmenter_of",
    "source_of",
    "tags_of",
    "taking_in",
    "told_of",
]
