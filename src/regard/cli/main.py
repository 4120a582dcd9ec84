"""The program: its commands, and what becomes of errors.

Results go to standard output, everything else to standard error. Exit codes: 0;
1 for a mistake in the data or the model folder; 2 for a mistake in the command;
128 + the signal's number after a stop that was asked for.
"""

import io
import os
import signal
import sys

import typer

from regard.cli.commands import align, demo, info, learn, score, serve, show
from regard.cli.judge import check, compare, evaluate, inspect
from regard.cli.neighbours import give_way
from regard.cli.predict import predict
from regard.cli.train import train
from regard.cli.words import say
from regard.errors import RegardError, SettingsError, StoppedError
from regard.version import VERSION

app = typer.Typer(
    name="regard",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Train on a file of string pairs, predict, and see where the decoder looked.",
    epilog="Example: regard train train.tsv --dev dev.tsv -o model; regard show model through",
)
for command, example in (
    (demo, "regard demo"),
    (check, "regard check train.tsv dev.tsv --fix clean"),
    (train, "regard train train.tsv --dev dev.tsv -o model"),
    (predict, "regard predict model words.txt --format tsv"),
    (show, "regard show model through --svg through.svg"),
    (align, "regard align model pairs.tsv --format pharaoh"),
    (evaluate, "regard evaluate model test.tsv --errors"),
    (compare, "regard compare model other test.tsv"),
    (inspect, "regard inspect model test.tsv --html report.html"),
    (score, "regard score model pairs.tsv"),
    (info, "regard info model"),
    (learn, "regard learn softmax"),
    (serve, "regard serve model --port 8000"),
):
    app.command(epilog=f"Example: {example}")(command)


@app.callback(invoke_without_command=True)
def root(version: bool = typer.Option(False, "--version", help="Print the version.")) -> None:
    """Train on a file of string pairs, predict, and see where the decoder looked."""
    if version:
        typer.echo(f"regard {VERSION}")
        raise typer.Exit


def run() -> None:
    """The entry point of the installed program."""
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison] (closed by the caller)
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    if not {"-h", "--help", "--version"} & set(sys.argv):
        give_way(os.environ)
    sys.exit(main())


def main(arguments: list[str] | None = None) -> int:
    """Carry out a command line.

    Args:
        arguments: Without the program's name; those of this process if None.

    Returns:
        The exit code.
    """
    given = with_tags_column(sys.argv[1:] if arguments is None else arguments)
    try:
        app(given)
    except SystemExit as done:
        return _flushed(done.code if isinstance(done.code, int) else 0)
    except StoppedError as error:
        say(str(error))
        return 128 + error.signal_number
    except SettingsError as error:
        say(f"regard: {error}")
        return 2
    except (RegardError, RecursionError, MemoryError) as error:
        say(f"regard: {error}")
        return 1
    except KeyboardInterrupt:
        say("regard: interrupted.")
        return 128 + signal.SIGINT
    except OSError as error:
        return _unwritten(error)
    return _flushed(0)


def _flushed(code: int) -> int:
    try:
        sys.stdout.flush()
    except OSError as error:
        return _unwritten(error)
    return code


def _unwritten(error: OSError) -> int:
    # What is still to be flushed goes nowhere, so that the interpreter does not complain as well.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return 0  # whoever read our output has seen enough
    say(f"regard: the output cannot be written: {error.strerror}.")
    return 1


def with_tags_column(arguments: list[str]) -> list[str]:
    """Let `--tags-column` stand alone: tags are then in the third column."""
    filled: list[str] = []
    for place, argument in enumerate(arguments):
        filled.append(argument)
        following = arguments[place + 1 : place + 2]
        if argument == "--tags-column" and not (following and following[0].isdecimal()):
            filled.append("3")
    return filled
