/*
 * A status of the library becomes an exception of saccade._errors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core.h"

#include <stdarg.h>
#include <string.h>

void *py_refuse(sac_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    PyErr_FormatV(py.errors[status], format, args);
    va_end(args);
    return NULL;
}

/* A path in the text may have bytes that are no UTF-8. */
static void set_text(PyObject *type, const char *text)
{
    PyObject *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "backslashreplace");
    if (message)
        PyErr_SetObject(type, message);
    Py_XDECREF(message);
}

/* The library calls the first array `in`, which is no name in Python. */
void *py_fail(sac_status status, const sac_error *err, const char *in_name)
{
    if (PyErr_Occurred()) /* of a progress function, or a signal */
        return NULL;
    if (status == SAC_CANCELLED) {
        PyErr_SetNone(PyExc_KeyboardInterrupt);
        return NULL;
    }
    const char *text = err->text[0] ? err->text : sac_status_name(status);
    if (in_name && !strncmp(text, "in:", 3))
        return py_refuse(status, "%s%s", in_name, text + 2);
    set_text(py.errors[status], text);
    return NULL;
}
