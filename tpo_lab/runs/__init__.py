"""Runs that outlive a page: a worker process that computes, and the service through which pages follow it."""
