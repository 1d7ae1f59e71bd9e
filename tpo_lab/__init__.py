"""TPO Lab: how a group of scored samples turns into a policy update.

Importing this package is cheap: it loads neither JAX nor Streamlit, pandas or Altair. Import the room that you need:
`tpo_lab.group` for the mathematics of one group, `tpo_lab.tasks` and `tpo_lab.training` for experiments.
"""

__version__ = "0.1.0"
