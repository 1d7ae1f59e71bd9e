"""What browser tests take from the lab's own measuring tools."""

from tpo_lab.bench.browser import settled
from tpo_lab.bench.server import ROOT, Server, running

__all__ = ["ROOT", "Server", "running", "settled"]
