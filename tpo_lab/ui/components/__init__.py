"""Components drawn in the browser: the group whose bars are dragged, and the player of its fit."""

from tpo_lab.ui.components.fit_player import fit_player
from tpo_lab.ui.components.group_editor import Edit, group_editor

__all__ = ["Edit", "fit_player", "group_editor"]
