"""Results of the kind of array that came in."""
import sys


def make_alike(like, shape, dtype):
    """An uninitialized array of the same library and on the same device as `like`."""
    namespace = like.__array_namespace__() if hasattr(like, "__array_namespace__") \
        else sys.modules[type(like).__module__.split(".")[0]]
    if not hasattr(namespace, "empty"):
        raise TypeError("out: give an array to write to; `%s` has no function `empty`" % namespace.__name__)
    kwargs = {"device": like.device} if namespace.__name__ != "cupy" and hasattr(like, "device") else {}
    return namespace.empty(shape, dtype=getattr(namespace, dtype), **kwargs)
