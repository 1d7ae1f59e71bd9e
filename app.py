"""The lab: `streamlit run app.py`. The server loads this once; for every view it runs tpo_lab/ui/lab.py, see there."""

from starlette.middleware import Middleware
from streamlit.starlette import App

from tpo_lab.ui.shell import Shell

app = App("tpo_lab/ui/lab.py", middleware=[Middleware(Shell)])
