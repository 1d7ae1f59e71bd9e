"""The command `tpo-lab`: parse, call, print. Bad input ends with exit code 2 and one sentence on stderr."""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from tpo_lab import __version__
from tpo_lab.commands import bench, lists, rollouts, rules, run, runs, target
from tpo_lab.errors import InputError

_COMMANDS = (target, rules, rollouts, run, runs, lists, bench)


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence, without a dump of the usage."""

    def error(self, message: str) -> NoReturn:
        sentence = message[:1].upper() + message[1:]
        self.exit(2, f"{self.prog}: {sentence.rstrip('.')}.\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; the exit code."""
    _open_standard_streams()
    parser = _Parser(
        prog="tpo-lab", description="How a group of scored samples turns into a policy update.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"tpo-lab {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for module in _COMMANDS:
        module.add_parser(commands)
    args = parser.parse_args(_values_joined(sys.argv[1:] if argv is None else argv))
    if args.command is None:
        parser.error(f"give a command: {', '.join(commands.choices)}")
    try:
        code: int | None = args.run(args)
        sys.stdout.flush()
    except InputError as error:
        print(f"tpo-lab {args.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 128 + 2  # what a shell shows for a process ended by Ctrl-C
    except BrokenPipeError:
        _drop_output()
        return 128 + 13  # what a shell shows for a process ended by SIGPIPE
    except OSError as error:
        _drop_output()
        print(f"tpo-lab {args.command}: {error}.", file=sys.stderr)
        return 1
    return code or 0


def _open_standard_streams() -> None:
    """Where a shell has closed some, as `>&-` does: what is printed there is dropped, no file gets their numbers."""
    if sys.stdin and sys.stdout and sys.stderr:
        return
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    sys.stdin = sys.stdin or os.fdopen(0)
    sys.stdout = sys.stdout or os.fdopen(1, "w")
    sys.stderr = sys.stderr or os.fdopen(2, "w")


def _drop_output() -> None:
    """Forget what could not be written: the reader has gone, as in `| head`, or the disk is full. It must not raise
    again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _values_joined(argv: Sequence[str]) -> list[str]:
    """`--scores -1,0` as `--scores=-1,0`: argparse takes a value that starts with a minus for an option."""
    joined: list[str] = []
    for word in argv:
        value = word[:1] == "-" and word[:2] != "--"
        if value and joined and joined[-1].startswith("--") and "=" not in joined[-1]:
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined


if __name__ == "__main__":
    sys.exit(main())
