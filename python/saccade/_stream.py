"""Live frames."""
import atexit
import weakref

import numpy

from . import _core, _docs

_open = weakref.WeakSet()


class Stream(_core.Stream):
    __doc__ = "\n".join([
        "Live frames through a ring to a function, in a thread of its own.", "",
        "    with saccade.Stream(work, shape=(96, 96)) as stream:",
        "        while camera.read(stream.slot()):",
        "            stream.send()", "",
        "work(frames, numbers) gets the frames that wait, (n, *shape), and their numbers; a missing number",
        "is a frame that was dropped. Frames are the ring's memory: copy what you keep. An exception in it",
        "ends the stream.", ""] + _docs.option_lines("Stream"))

    def __init__(self, work, shape, dtype="uint8", **options):
        super().__init__(work, numpy.empty(shape, dtype), options)
        _open.add(self)

    def put(self, frame, scheduled_ns=0):
        """Copies a frame into the slot and sends it; False if the stream is stopping."""
        self.slot()[...] = frame
        return self.send(scheduled_ns)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.stop()


@atexit.register
def _close_all():
    """Ends the workers while there is still an interpreter for them."""
    for stream in list(_open):
        try:
            stream.close()
        except RuntimeError:
            stream.request_stop()
