/*
 * saccade._core: what `import saccade` loads.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core.h"

py_state py;

PyObject *py_attribute(const char *module, const char *name)
{
    PyObject *m = PyImport_ImportModule(module);
    PyObject *value = m ? PyObject_GetAttrString(m, name) : NULL;
    Py_XDECREF(m);
    return value;
}

static bool load_errors(void)
{
    static const char *const names[SAC_E_IO + 1] = {
        "Error",      "Error",       "Error",         "Error",       "InvalidError",
        "ShapeError", "FormatError", "NoMemoryError", "DeviceError", "UnsupportedError",
        "FileError"};
    for (int i = 0; i <= SAC_E_IO; i++)
        if (!(py.errors[i] = py_attribute("saccade._errors", names[i])))
            return false;
    return true;
}

static bool load_numpy(void)
{
    py.ndarray = py_attribute("numpy", "ndarray");
    py.empty = py_attribute("numpy", "empty");
    py.asarray = py_attribute("numpy", "asarray");
    py.dtype = py_attribute("numpy", "dtype");
    for (int i = SAC_U8; py.dtype && i <= SAC_C128; i++)
        if (!(py.dtypes[i] = PyObject_CallFunction(py.dtype, "s", py_dtype_name((sac_dtype)i))))
            break;
    return py.ndarray && py.empty && py.asarray && py.dtypes[SAC_C128];
}

/* The table of a plan; NULL: an exception is set. */
static const sac_param_table *table_of(PyObject *name)
{
    static const struct {
        const char *name;
        const sac_param_table *(*get)(void);
    } tables[] = {{"Equalize", sac_equalize_params},
                  {"Heatmap", sac_heatmap_params},
                  {"Noise", sac_noise_params},
                  {"Denoise", sac_denoise_params},
                  {"Adjust", sac_adjust_params},
                  {"Beamform", sac_beamform_params},
                  {"Flow", sac_flow_params},
                  {"Meltpool", sac_meltpool_params},
                  {"DeltaEncoder", sac_delta_encode_params},
                  {"DeltaDecoder", sac_delta_decode_params},
                  {"Stream", sac_stream_params}};
    for (size_t i = 0; PyUnicode_Check(name) && i < sizeof tables / sizeof *tables; i++)
        if (PyUnicode_CompareWithASCIIString(name, tables[i].name) == 0)
            return tables[i].get();
    return py_refuse(SAC_E_INVALID, "parameters: no plan %R", name);
}

static PyObject *parameters(PyObject *module, PyObject *name)
{
    (void)module;
    const sac_param_table *table = table_of(name);
    return table ? py_param_list(table) : NULL;
}

static PyObject *summary(PyObject *module, PyObject *name)
{
    (void)module;
    const sac_param_table *table = table_of(name);
    return table ? PyUnicode_FromString(table->summary) : NULL;
}

static PyMethodDef methods[] = {
    {"time_runs", py_plan_time, METH_VARARGS, "Time of a run without Python."},
    {"view", py_array_describe, METH_O, "An array as the library gets it."},
    {"summary", summary, METH_O, "What a plan is for."},
    {"parameters", parameters, METH_O, "The options of a plan, from the library's table."},
    {0}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "saccade._core",
                                        "The library, for Python.",
                                        -1,
                                        methods,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

static int (*const parts[])(PyObject *module) = {py_add_memory,
                                                 py_add_equalize,
                                                 py_add_motion,
                                                 py_add_adjust,
                                                 py_add_probes,
                                                 py_add_beamform,
                                                 py_add_flow,
                                                 py_add_recording,
                                                 py_add_simulate,
                                                 py_add_handle,
                                                 py_add_meltpool,
                                                 py_add_meltpool_files,
                                                 py_add_simulate_meltpool,
                                                 py_add_delta,
                                                 py_add_sdv,
                                                 py_add_video,
                                                 py_add_measure,
                                                 py_add_ladder,
                                                 py_add_stream};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    if (!load_errors() || !load_numpy())
        return NULL;
    const struct {
        PyObject **object;
        const char *file, *name;
    } members[] = {{&py.unknown_option, "saccade._errors", "unknown_option"},
                   {&py.make_alike, "saccade._arrays", "make_alike"},
                   {&py.grid, "saccade._grid", "Grid"},
                   {&py.sector, "saccade._grid", "Sector"},
                   {&py.packet, "saccade._structs", "Packet"},
                   {&py.record_dtype, "saccade._structs", "RECORD"},
                   {&py.signals_dtype, "saccade._structs", "SIGNALS"},
                   {&py.truth_dtype, "saccade._structs", "TRUTH"}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (!(*members[i].object = py_attribute(members[i].file, members[i].name)))
            return NULL;
    PyObject *module = PyModule_Create(&definition);
    for (size_t i = 0; module && i < sizeof parts / sizeof *parts; i++)
        if (parts[i](module))
            Py_CLEAR(module);
    return module;
}
