"""Exceptions: the library's statuses, each also one of Python's own."""
import difflib


class Error(Exception):
    """What the library refused or could not do. The text names the argument."""

    status = ""


class InvalidError(Error, ValueError):
    """An argument is out of its range, or contradicts another."""

    status = "SAC_E_INVALID"


class ShapeError(Error, ValueError):
    """An array has the wrong shape, type or strides."""

    status = "SAC_E_SHAPE"


class FormatError(Error, ValueError):
    """A file or packet does not have the expected format."""

    status = "SAC_E_FORMAT"


class NoMemoryError(Error, MemoryError):
    """Memory could not be allocated."""

    status = "SAC_E_NOMEM"


class DeviceError(Error, RuntimeError):
    """A device is missing or lost, or it failed."""

    status = "SAC_E_DEVICE"


class UnsupportedError(Error, NotImplementedError):
    """This build or this machine cannot do it."""

    status = "SAC_E_UNSUPPORTED"


class FileError(Error, OSError):
    """The operating system refused a file or socket."""

    status = "SAC_E_IO"


def unknown_option(plan, name, parameters):
    names = [p["name"].replace("-", "_") for p in parameters]
    near = difflib.get_close_matches(name, names, 1)
    raise TypeError("%s has no option `%s`%s; its options are %s" % (
        plan.__name__, name, "; did you mean `%s`?" % near[0] if near else "", ", ".join(names)))
