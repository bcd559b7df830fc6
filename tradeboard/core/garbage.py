"""When Python looks for garbage that only points at itself."""

import gc


def look_seldom() -> None:
    """Look at what is made from now on, and seldom; what the imports made stays.

    Pages and jobs leave few cycles behind, but make thousands of objects, at the usual
    pace of which Python would look through all that is loaded again and again.
    """
    gc.freeze()
    gc.set_threshold(20_000, 5, 10)
