"""How large a file of rollouts and its parts may be. Everything beyond is refused or counted, never read halfway."""

MAX_FILE = 8 << 30  # bytes of one file on disk
MAX_PLAIN = 16 << 30  # bytes of one file once decompressed
MAX_RATIO = 500  # of decompression, after the first `RATIO_FROM` bytes; text of rollouts packs 5 to 100 times
RATIO_FROM = 16 << 20
MAX_LINE = 64 << 20  # bytes of one line or one JSON document: Python's objects take up to 20 times as much
MAX_BRACKETS = 4_000_000  # opening ones of one line or document: each becomes an object of Python's
MAX_ROWS = 5_000_000
MAX_FILES = 20_000  # in a folder
MAX_GROUP = 1_024  # candidates of one group: above it, the group column is another one
MAX_TEXT = 6_000  # characters kept of one text, half from each end
MAX_TEXTS = 400 << 20  # bytes kept of all texts
MAX_COLUMNS = 4_096
