"""Measurements of the lab on this machine, and what they share with the browser tests: a server, a Chromium."""
