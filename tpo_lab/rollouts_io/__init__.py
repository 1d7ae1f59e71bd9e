"""Files of scored rollouts: one reader a format, one normal table of groups, and the health of the groups over it.

Imports NumPy and PyArrow only; nothing is unpickled. Axes: R rows (candidates), G groups, K candidates of a group.
"""
