"""The one exception for bad input: a sentence that says what is wrong, where, and what is allowed."""


class InputError(ValueError):
    """Input that a person can correct. `field` names the control or flag at fault; the message stands alone."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def shown(value: object) -> str:
    """The value as a message quotes it: never long."""
    try:
        text = repr(value)
    except ValueError:  # an integer of thousands of digits
        text = f"a huge {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."
