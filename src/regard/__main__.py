"""`python -m regard` is `regard`, for where the installed program is not on the path."""

from regard.cli import run

if __name__ == "__main__":
    run()
