"""Traced programs kept on disk beside JAX's machine code, so that a second process need not trace them again.

JAX's own cache saves the compiler's work only: it wants the whole program before it looks, and to trace one of ours
takes several times longer than to load its machine code. A file is named after all that the program is made from: the
sources of this package, the versions of JAX and optax, the types of the arguments. A change in any of them is another
file, and a file that was cut off or changed is written anew.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jax
import optax  # type: ignore[import-untyped]
from jax import Array, export

ROOMS = ("group", "methods", "policies", "tasks", "training")  # of the package: what a program is made from
_DIGEST = hashlib.sha256().digest_size


class Program(NamedTuple):
    """A traced program, and the structure of what it returns."""

    exported: export.Exported
    returned: Any

    @property
    def shapes(self) -> Any:
        """Of what it returns."""
        return jax.tree.unflatten(self.returned, self.exported.out_avals)

    def compiled(self, options: dict[str, Any]) -> Callable[..., Any]:
        """Its machine code; JAX fetches it from the disk where it can."""
        exported, returned = self
        code = jax.jit(exported.call, compiler_options=options).lower(*exported.in_avals).compile()
        return lambda *args: jax.tree.unflatten(returned, code(*jax.tree.leaves(args)))


def traced(name: str, function: Callable[..., Any], args: tuple[Any, ...], like: Any) -> Program:
    """A pure function as a program, from its file if there is one.

    Args:
        name: of the function and of all that it holds beside its arguments.
        args: what it will be called with, or its shapes.
        like: any tree of the structure of what it returns.
    """
    leaves, tree = jax.tree.flatten(args)

    def flat(*leaves: Array) -> tuple[Array, ...]:
        return tuple(jax.tree.leaves(function(*jax.tree.unflatten(tree, leaves))))

    path = _path(repr((name, str(tree), [(x.shape, str(x.dtype)) for x in leaves])))
    program = None if path is None else _read(path)
    if program is None:
        program = export.export(jax.jit(flat))(*leaves)
        if path is not None:
            _write(path, program)
    return Program(program, jax.tree.structure(like))


def compiled(
    name: str, function: Callable[..., Any], args: tuple[Any, ...], like: Any, options: dict[str, Any]
) -> Callable[..., Any]:
    """The machine code of a pure function; arguments as of `traced`, and options of the compiler."""
    return traced(name, function, args, like).compiled(options)


def remembered(
    name: str, function: Callable[..., Any], args: tuple[Any, ...], like: Any, options: dict[str, Any]
) -> Callable[..., Any]:
    """`compiled`, once in this process for each name and types of arguments."""
    leaves, tree = jax.tree.flatten(args)
    key = (name, tree, *((x.shape, x.dtype) for x in leaves))
    if key not in _codes:
        _codes[key] = compiled(name, function, args, like, options)
    return _codes[key]


_codes: dict[Any, Callable[..., Any]] = {}


def _path(program: str) -> Path | None:
    folder = _folder()
    if folder is None:
        return None
    made_from = (program, jax.__version__, optax.__version__, jax.default_backend(), _sources())
    return folder / f"traced-{hashlib.sha256(repr(made_from).encode()).hexdigest()}"


def _folder() -> Path | None:
    folder: str | None = jax.config.jax_compilation_cache_dir  # type: ignore[attr-defined]
    return Path(folder) if folder else None


@cache
def _sources() -> str:
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(path for room in ROOMS for path in (package / room).rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _read(path: Path) -> export.Exported | None:
    try:
        data = path.read_bytes()
    except OSError:
        return None
    digest, body = data[:_DIGEST], data[_DIGEST:]
    return export.deserialize(bytearray(body)) if hashlib.sha256(body).digest() == digest else None


def _write(path: Path, program: export.Exported) -> None:
    """Write the file whole or not at all; a folder that cannot be written to costs no more than time."""
    body = bytes(program.serialize())
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(hashlib.sha256(body).digest() + body)
        os.replace(file.name, path)
    except OSError:
        return
