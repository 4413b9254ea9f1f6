/*
 * Options by name, from the parameter tables: a value of Python becomes the text that the command
 * would take.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core.h"

#include <string.h>

static const sac_param *find(const sac_param_table *table, const char *name)
{
    for (int32_t i = 0; i < table->n_params; i++) {
        const char *a = table->params[i].name, *b = name;
        while (*a && *b && (*a == *b || (*a == '-' && *b == '_')))
            a++, b++;
        if (!*a && !*b)
            return &table->params[i];
    }
    return NULL;
}

const char *py_text(PyObject *text, const char *name)
{
    Py_ssize_t size;
    const char *utf8 = PyUnicode_AsUTF8AndSize(text, &size);
    if (utf8 && strlen(utf8) != (size_t)size)
        return py_refuse(SAC_E_INVALID, "%s: has a character 0 in it", name);
    return utf8;
}

int py_u64(PyObject *value, void *out)
{
    PyObject *number = PyNumber_Index(value);
    const unsigned long long n = number ? PyLong_AsUnsignedLongLong(number) : 0;
    Py_XDECREF(number);
    if (PyErr_Occurred())
        return 0;
    *(uint64_t *)out = n;
    return 1;
}

/* 3, 0.5, True, "fast", (8, 6), torch.device: the text of the command's option. */
static PyObject *text_of(const sac_param *p, PyObject *value)
{
    if (p->type == SAC_PARAM_BOOL) {
        if (PyUnicode_Check(value))
            return Py_NewRef(value);
        const int yes = PyObject_IsTrue(value);
        return yes < 0 ? NULL : PyUnicode_FromString(yes ? "true" : "false");
    }
    if (p->type == SAC_PARAM_INT2 && (PyTuple_Check(value) || PyList_Check(value))) {
        PyObject *pair = PySequence_Tuple(value), *text = NULL;
        int a, b;
        if (pair && PyArg_ParseTuple(pair, "ii", &a, &b))
            text = PyUnicode_FromFormat("%dx%d", a, b);
        Py_XDECREF(pair);
        return text;
    }
    if (p->type == SAC_PARAM_FLOAT && PyFloat_Check(value)) { /* NumPy's float64 is one */
        PyObject *plain = PyFloat_FromDouble(PyFloat_AsDouble(value));
        PyObject *text = plain ? PyObject_Repr(plain) : NULL;
        Py_XDECREF(plain);
        return text;
    }
    if (p->type == SAC_PARAM_INT && PyFloat_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s: expected a whole number, got %R", p->name, value);
        return NULL;
    }
    return PyObject_Str(value);
}

int py_param_set(const sac_param_table *table, void *desc, const char *name, PyObject *value,
                 PyObject *keep)
{
    const sac_param *p = find(table, name);
    if (!p)
        return 0;
    if (value == Py_None)
        return 1; /* the default */
    PyObject *text = text_of(p, value);
    if (!text)
        return -1;
    const int kept = PyList_Append(keep, text); /* strings are borrowed until open returns */
    Py_DECREF(text);
    const char *utf8 = kept ? NULL : py_text(text, p->name);
    if (!utf8)
        return -1;
    sac_error err = {0};
    const sac_status status = sac_param_set(table, desc, p->name, utf8, &err);
    if (status)
        py_fail(status, &err, NULL);
    return status ? -1 : 1;
}

int py_choice(PyObject *value, const char *name, const char *const *names)
{
    const char *text = PyUnicode_Check(value) ? py_text(value, name) : NULL;
    char all[160] = "";
    for (int i = 0; names[i]; i++) {
        if (text && !strcmp(text, names[i]))
            return i;
        PyOS_snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", names[i]);
    }
    if (!PyErr_Occurred())
        py_refuse(SAC_E_INVALID, "%s: expected one of %s, got %R", name, all, value);
    return -1;
}

static PyObject *default_of(const sac_param *p, const void *desc)
{
    char text[64];
    switch (p->type) {
    case SAC_PARAM_INT:
        return PyLong_FromDouble(p->def);
    case SAC_PARAM_FLOAT:
        return PyFloat_FromDouble(p->def);
    case SAC_PARAM_BOOL:
        return PyBool_FromLong(p->def != 0);
    case SAC_PARAM_STRING:
        return Py_NewRef(Py_None);
    case SAC_PARAM_INT2:
    case SAC_PARAM_CHOICE:
    case SAC_PARAM_DEVICE:
        break;
    }
    return PyUnicode_FromString(sac_param_get(p, desc, text, sizeof text));
}

static PyObject *describe(const sac_param *p, const void *desc)
{
    static const char *const types[] = {"int", "int2", "float", "bool", "choice", "str", "device"};
    PyObject *choices = PyList_New(0);
    for (int i = 0; choices && p->choices && p->choices[i]; i++) {
        PyObject *choice = PyUnicode_FromString(p->choices[i]);
        if (!choice || PyList_Append(choices, choice))
            Py_CLEAR(choices);
        Py_XDECREF(choice);
    }
    PyObject *def = default_of(p, desc);
    if (!choices || !def) {
        Py_XDECREF(choices);
        Py_XDECREF(def);
        return NULL;
    }
    return Py_BuildValue("{sssssdsdsNsNssss}", "name", p->name, "type", types[p->type], "min",
                         p->min, "max", p->max, "default", def, "choices", choices, "unit", p->unit,
                         "doc", p->doc);
}

PyObject *py_param_list(const sac_param_table *table)
{
    PyObject *all = PyList_New(0);
    void *desc = PyMem_Malloc(table->desc_size);
    if (all && desc)
        sac_param_defaults(table, desc);
    for (int32_t i = 0; all && desc && i < table->n_params; i++) {
        PyObject *one = describe(&table->params[i], desc);
        if (!one || PyList_Append(all, one))
            Py_CLEAR(all);
        Py_XDECREF(one);
    }
    PyMem_Free(desc);
    return desc ? all : PyErr_NoMemory();
}
