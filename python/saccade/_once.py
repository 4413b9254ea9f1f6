"""One-call forms: open a plan, run it, close it."""
import warnings

from ._core import Adjust, Beamform, Denoise, Equalize, Flow, Heatmap, Meltpool, Noise


def equalize(picture, out=None, **options):
    """Equalizes a picture, (h, w) or (h, w, channels) of uint8 or uint16. Options are those of Equalize."""
    with Equalize(**options) as plan:
        return plan(picture, out=out)


def heatmap(frame, previous, out=None, **options):
    """How much two frames differ, as colors: (h, w, 3). Options are those of Heatmap."""
    with Heatmap(**options) as plan:
        return plan(frame, previous, out=out)


def noise(frame, previous, out=None, **options):
    """Which pixels of two frames differ by more than a threshold. Options are those of Noise."""
    with Noise(**options) as plan:
        return plan(frame, previous, out=out)


def denoise(frame, out=None, **options):
    """Filters a single frame, by default by a median. Options are those of Denoise."""
    with Denoise(**{"method": "median", **options}) as plan:
        return plan(frame, out=out)


def adjust(frame, out=None, **options):
    """Brightness, contrast, saturation and gain of a frame; out may be the frame. Options are those of Adjust."""
    with Adjust(**options) as plan:
        return plan(frame, out=out)


def beamform(samples, acquisition=None, grid=None, out=None, **options):
    """Beamforms (frames, transmits, elements, samples), or a Recording. Options are those of Beamform."""
    if acquisition is None:
        if not hasattr(samples, "acquisition"):
            raise TypeError("acquisition: is missing")
        acquisition, samples = samples.acquisition, samples.samples
    with Beamform(acquisition, grid, **options) as plan:
        return plan(samples, out=out)


def flow(images, acquisition=None, out=None, **options):
    """Doppler of IQ images, (frames, z, x) of complex64, of vectors (frames, transmits, z, x). Options are those of
    Flow.
    """
    with Flow(acquisition, **options) as plan:
        return plan(images, out=out)


def meltpool(frames, signals=None, out=None, **options):
    """Records of frames, (n, h, w) of uint8, with signals (n). Options are those of Meltpool."""
    with Meltpool(**options) as plan:
        records = plan(frames, signals, out=out)
        if plan.doubt:
            warnings.warn(plan.doubt, stacklevel=2)
        return records
