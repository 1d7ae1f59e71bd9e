"""How a process in the background is scheduled, asked of the system in a process of its own."""

import os
import subprocess
import sys

import pytest

ASK = """import os
from tpo_lab.runs.manners import stand_back
stand_back()
print(os.sched_getscheduler(0), os.nice(0))
"""


@pytest.mark.skipif(not hasattr(os, "SCHED_IDLE"), reason="this system has no class for idle time")
def test_what_stands_back_computes_in_idle_time_only() -> None:
    answer = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=True).stdout.split()
    assert int(answer[0]) == os.SCHED_IDLE
    assert int(answer[1]) > os.nice(0) or int(answer[1]) == 19
