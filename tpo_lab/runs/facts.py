"""What a result depends on besides its configuration: versions of packages, and the machine."""

import os
import platform
import sys
from functools import cache

PACKAGES = ("jax", "jaxlib", "numpy", "optax")


@cache
def versions() -> dict[str, str]:
    """Of the lab and of the packages that decide what is computed."""
    from importlib.metadata import version  # here, like the next: the lab's start need not wait for it

    return {name: version(name) for name in ("tpo-lab", *PACKAGES)}


@cache
def host() -> dict[str, str | int]:
    """Cores, memory in bytes, platform and Python; never the machine's name."""
    import psutil  # type: ignore[import-untyped]

    return {
        "cores": os.cpu_count() or 1,
        "memory": psutil.virtual_memory().total,
        "platform": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": sys.version.split()[0],
    }
