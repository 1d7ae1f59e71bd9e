"""The store of a test of the command line."""

from tests.runs.conftest import folder

__all__ = ["folder"]
