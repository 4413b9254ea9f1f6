"""Records of `saccade meltpool` with labels, from HDF5 or CSV files.

SPDX-License-Identifier: Apache-2.0
"""
from meltpool_model import FEATURES, OUTPUTS, Refused, numpy

EMPTY, REFUSED = 1, 32  # flags of records without features


def hdf5(path):
    import h5py
    with h5py.File(path, "r") as file:
        names = file.attrs.get("features", ",".join(FEATURES))
        names = names.decode() if isinstance(names, bytes) else str(names)
        if names != ",".join(FEATURES):
            raise Refused(f"{path}: attribute features: these are of another kind: {names[:60]}")
        sets = {name: file[name][:] for name in ("features", "flags", "labels", "truth", "prediction") if name in file}
        if "truth" in sets and "power_w" in (sets["truth"].dtype.names or ()):
            sets["power"] = sets["truth"]["power_w"][:, None]
        return sets, file.attrs.get("parameters", "")


def csv(path):
    with open(path, encoding="utf-8") as file:
        heads = file.readline().strip().split(",")
    columns = {"features": FEATURES, "flags": ["flags"], "labels": ["label_" + name for name in OUTPUTS],
               "truth": ["truth_" + name for name in OUTPUTS], "prediction": OUTPUTS,
               "power": ["truth_power_w"]}
    columns = {name: wanted for name, wanted in columns.items() if set(wanted) <= set(heads)}
    places = [heads.index(column) for wanted in columns.values() for column in wanted]
    if not places:
        raise Refused(f"{path}: the first line names no features")
    rows = numpy.loadtxt(path, delimiter=",", skiprows=1, usecols=places, ndmin=2)
    sets, at = {}, 0
    for name, wanted in columns.items():
        sets[name] = rows[:, at:at + len(wanted)]
        at += len(wanted)
    if "flags" in sets:
        sets["flags"] = sets["flags"][:, 0].astype(int)
    return sets, ""


def labels_of(sets, path):
    if "labels" in sets:
        return numpy.asarray(sets["labels"], float)
    truth = sets.get("truth")
    if truth is None:
        raise Refused(f"{path}: has neither labels (n, 2) nor a simulation's truth")
    if truth.dtype.names:
        if not set(OUTPUTS) <= set(truth.dtype.names):
            raise Refused(f"{path}: its truth has no {' and '.join(OUTPUTS)}")
        truth = numpy.stack([truth[name] for name in OUTPUTS], axis=1)
    return numpy.asarray(truth, float)


def read(path, what):
    """(values, labels, parameters) of a file: `what` is "features", "prediction", or "power" of a simulation's truth.
    Frames without features, and frames with a label that is not finite, are left out."""
    try:
        sets, parameters = csv(path) if path.lower().endswith(".csv") else hdf5(path)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Refused(f"{path}: {error}") from None
    if what not in sets:
        raise Refused(f"{path}: has no {what}")
    values, labels = numpy.asarray(sets[what], float), labels_of(sets, path)
    flags = sets.get("flags", numpy.zeros(len(values), int))
    n_columns = {"features": len(FEATURES), "prediction": len(OUTPUTS), "power": 1}[what]
    if values.shape != (len(flags), n_columns) or labels.shape != (len(flags), len(OUTPUTS)):
        raise Refused(f"{path}: expected {what} (n, {n_columns}), labels (n, 2) and flags (n), "
                      f"got {values.shape}, {labels.shape} and {flags.shape}")
    keep = ((flags & (EMPTY | REFUSED)) == 0) & numpy.isfinite(labels).all(axis=1)
    if not numpy.isfinite(values[keep]).all():
        raise Refused(f"{path}: {what}: a number is not finite")
    if (labels[keep] < 0).any():
        raise Refused(f"{path}: labels: a density is below 0")
    return values[keep], labels[keep], parameters.decode() if isinstance(parameters, bytes) else str(parameters)
