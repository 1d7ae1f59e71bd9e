"""What a run will need, before it is started."""

from tpo_lab.experiments.kinds import AnyConfig


def check(config: AnyConfig, workers: int) -> None:
    """Refuse a run that this machine cannot hold."""
