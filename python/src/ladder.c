/*
 * The ladder: each rung's row as a dict.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core.h"

#include <saccade/ladder.h>

typedef struct rows {
    py_work work;
    PyObject *list;
} rows;

static PyObject *row_dict(const sac_ladder_row *r)
{
    return Py_BuildValue(
        "{sssssssssssssisOsOsOsOsdsKsKsdsdsdsdsdsdsdsdsKsd}", "pipeline", r->pipeline, "room",
        r->room, "rung", r->rung, "device", r->device, "shape", r->shape, "needs", r->needs,
        "threads", r->threads, "ships", r->ships ? Py_True : Py_False, "chosen",
        r->chosen ? Py_True : Py_False, "checked", r->checked ? Py_True : Py_False, "ok",
        r->ok ? Py_True : Py_False, "error", r->error, "n_differ", (unsigned long long)r->n_differ,
        "runs", (unsigned long long)r->runs, "median_ns", r->median_ns, "p10_ns", r->p10_ns,
        "p90_ns", r->p90_ns, "min_ns", r->min_ns, "max_ns", r->max_ns, "h2d_ns", r->h2d_ns,
        "kernel_ns", r->kernel_ns, "d2h_ns", r->d2h_ns, "bytes", (unsigned long long)r->bytes,
        "published_ns", r->published_ns);
}

/* Called in the thread of the ladder, which has let go of the GIL. */
static void take(void *ctx, const sac_ladder_row *row)
{
    rows *all = ctx;
    PyEval_RestoreThread(all->work.thread);
    PyObject *dict = PyErr_Occurred() ? NULL : row_dict(row);
    if (dict)
        PyList_Append(all->list, dict);
    Py_XDECREF(dict);
    all->work.thread = PyEval_SaveThread();
}

/* An exception of a row, or a signal, ends the ladder. */
static bool progress(void *ctx, uint64_t done, uint64_t total)
{
    rows *all = ctx;
    all->work.next_ns = 0;
    return py_work_progress(&all->work, done, total);
}

/* ladder(pipeline, w, h, input, threads, seconds, only, task, device, progress): list of dicts */
static PyObject *ladder(PyObject *module, PyObject *args)
{
    (void)module;
    const char *pipeline, *device;
    PyObject *input, *report;
    long long w, h;
    rows all = {0};
    sac_ladder_desc desc;
    sac_ladder_desc_init(&desc);
    if (!PyArg_ParseTuple(args, "sLLOidzzsO", &pipeline, &w, &h, &input, &desc.n_threads,
                          &desc.seconds, &desc.only, &desc.task, &device, &report))
        return NULL;
    desc.w = w;
    desc.h = h;
    desc.progress = progress;
    desc.progress_ctx = &all;
    all.work.progress = report == Py_None ? NULL : report;
    sac_error err = {0};
    sac_status status = sac_device_parse(&desc.device, device, &err);
    if (status)
        return py_fail(status, &err, NULL);
    py_array view = {0};
    if (input != Py_None) {
        if (!py_array_view(&view, input, "input", false, PY_NO_STREAM))
            return NULL;
        desc.input = &view.array;
    }
    all.list = PyList_New(0);
    if (all.list) {
        py_work_begin(&all.work);
        status = sac_ladder_run(pipeline, &desc, take, &all, &err);
        py_work_end(&all.work);
        if (status || PyErr_Occurred()) {
            Py_CLEAR(all.list);
            py_fail(status, &err, NULL);
        }
    }
    py_array_release(&view);
    return all.list;
}

static PyMethodDef methods[] = {{"ladder", ladder, METH_VARARGS, NULL}, {0}};

int py_add_ladder(PyObject *module)
{
    return PyModule_AddFunctions(module, methods);
}
