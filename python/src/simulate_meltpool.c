/*
 * Simulated builds: frames, signals and the truth of melt pools.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core.h"

#include <saccade/simulate_meltpool.h>

static sac_status close_simulation(void **object, sac_error *err)
{
    (void)err;
    sac_meltpool_sim_close((sac_meltpool_sim **)object);
    return SAC_OK;
}

/* simulate(regime, n_layers, n_frames, seed): (handle, frames) */
static PyObject *open_simulation(PyObject *module, PyObject *args)
{
    (void)module;
    static const char *const regimes[] = {"nominal", "keyhole", "lof", "mixed", NULL};
    sac_simulate_meltpool_desc desc;
    sac_simulate_meltpool_desc_init(&desc);
    PyObject *regime;
    long long n_frames;
    uint64_t seed;
    if (!PyArg_ParseTuple(args, "OiLO&", &regime, &desc.n_layers, &n_frames, py_u64, &seed))
        return NULL;
    desc.regime = py_choice(regime, "regime", regimes);
    if (desc.regime < 0)
        return NULL;
    desc.n_frames = n_frames;
    desc.seed = seed;
    sac_meltpool_sim *sim = NULL;
    sac_error err = {0};
    const sac_status status = sac_meltpool_sim_open(&sim, &desc, &err);
    if (status)
        return py_fail(status, &err, NULL);
    const int64_t n = sac_meltpool_sim_get_frames(sim);
    PyObject *handle = py_handle_new(sim, close_simulation);
    return handle ? Py_BuildValue("NL", handle, (long long)n) : NULL;
}

/* simulation_next(handle, frames, signals, truth): how many frames were made */
static PyObject *simulation_next(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *handle, *a, *b, *c;
    py_array frames, signals, truth;
    int64_t n = 0, n_truth = 0, made = 0;
    if (!PyArg_ParseTuple(args, "OOOO", &handle, &a, &b, &c) ||
        !py_structs_view(&signals, b, "signals", sizeof(sac_meltpool_signals), true, &n))
        return NULL;
    sac_meltpool_sim *sim = NULL;
    if (py_structs_view(&truth, c, "truth", sizeof(sac_meltpool_truth), true, &n_truth)) {
        if (py_array_view(&frames, a, "frames", true, PY_NO_STREAM)) {
            const int64_t size = SAC_MELTPOOL_SIM_SIZE;
            if (!py_is_frames(&frames.array, n, "frames") || n_truth != n ||
                frames.array.shape[1] != size || frames.array.shape[2] != size)
                py_refuse(SAC_E_SHAPE, "frames: expected (n, 96, 96), with n signals and truths");
            else
                sim = py_handle_take(handle, close_simulation);
            if (sim) {
                uint8_t *pixels = frames.array.data;
                sac_meltpool_signals *s = signals.buffer.buf;
                sac_meltpool_truth *t = truth.buffer.buf;
                Py_BEGIN_ALLOW_THREADS
                    while (made < n && sac_meltpool_sim_next(sim, pixels + made * size * size,
                                                             s + made, t + made))
                        made++;
                Py_END_ALLOW_THREADS
                py_handle_give(handle);
            }
            py_array_release(&frames);
        }
        py_array_release(&truth);
    }
    py_array_release(&signals);
    return PyErr_Occurred() ? NULL : PyLong_FromLongLong(made);
}

static PyMethodDef methods[] = {{"open_simulation", open_simulation, METH_VARARGS, NULL},
                                {"simulation_next", simulation_next, METH_VARARGS, NULL},
                                {0}};

int py_add_simulate_meltpool(PyObject *module)
{
    return PyModule_AddFunctions(module, methods);
}
