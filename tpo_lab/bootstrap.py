"""The door of the lab: python3 tpo_lab/bootstrap.py lab | test [arguments].

The syntax here is that of every Python since 2.7, so that a wrong version gets a sentence and not a SyntaxError; the
work is done in environment.py.
"""

import sys

if sys.version_info < (3, 11):
    sys.exit(
        "TPO Lab needs Python 3.11 or newer and this is %d.%d: run the command with a newer one, such as python3.12."
        % sys.version_info[:2]
    )

import os

if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    # Python puts the folder of a script first on the path, where a module of ours would shadow the standard library.
    sys.path[:] = [os.path.dirname(here)] + [entry for entry in sys.path if os.path.abspath(entry) != here]

    from tpo_lab.environment import main

    sys.exit(main(sys.argv[1:]))
