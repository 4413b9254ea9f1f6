"""Results of the kind of array that came in."""
import sys


def make_alike(like, shape, dtype):
    """An uninitialized array of the same library and on the same device as `like`."""
    namespace = like.__array_namespace__() if hasattr(like, "__array_namespace__") \
        else sys.modules[type(like).__module__.split(".")[0]]
    if not hasattr(namespace, "empty"):
        raise TypeError("out: give an array to write to; `%s` has no function `empty`" % namespace.__name__)
    dtype = getattr(namespace, dtype)
    if namespace.__name__.split(".")[0] == "cupy":
        with like.device:
            return namespace.empty(shape, dtype=dtype)
    kwargs = {"device": like.device} if hasattr(like, "device") else {}
    return namespace.empty(shape, dtype=dtype, **kwargs)
