/*
 * Work without the GIL: signals are looked at from progress functions, so that Ctrl-C cancels.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core.h"

#define LOOK_NS 20000000 /* so often, at most, the GIL is asked for */

void py_work_begin(py_work *work)
{
    work->next_ns = sac_stream_clock_ns() + LOOK_NS;
    work->thread = PyEval_SaveThread();
}

void py_work_end(py_work *work)
{
    PyEval_RestoreThread(work->thread);
    work->thread = NULL;
}

bool py_work_progress(void *ctx, uint64_t done, uint64_t total)
{
    py_work *work = ctx;
    const int64_t now = sac_stream_clock_ns();
    if (now < work->next_ns && done < total)
        return true;
    work->next_ns = now + LOOK_NS;
    PyEval_RestoreThread(work->thread);
    bool go_on = PyErr_CheckSignals() == 0;
    if (go_on && work->progress) {
        PyObject *answer = PyObject_CallFunction(work->progress, "KK", (unsigned long long)done,
                                                 (unsigned long long)total);
        go_on = answer && answer != Py_False;
        Py_XDECREF(answer);
    }
    work->thread = PyEval_SaveThread();
    return go_on;
}
