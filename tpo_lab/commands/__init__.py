"""The subcommands of `tpo-lab`: each module adds its parser and runs it. Parse, call, print; no mathematics."""
