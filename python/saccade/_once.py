"""One-call forms: open a plan, run it, close it."""
from ._core import Equalize


def equalize(picture, out=None, **options):
    """Equalizes a picture, (h, w) or (h, w, channels) of uint8 or uint16. Options are those of Equalize."""
    with Equalize(**options) as plan:
        return plan(picture, out=out)
