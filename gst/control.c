/*
 * Controls as text. It may come from anybody, so it is read here before GStreamer sees it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "control.h"

#include <string.h>

/* What GStreamer writes without quotes. */
static size_t word_at(const char *at)
{
    size_t n = 0;
    while (g_ascii_isalnum(at[n]) || (at[n] && strchr("_-+/:.", at[n])))
        n++;
    return n;
}

/* The bytes of a word, or of a text in quotes; 0: neither. */
static size_t value_at(const char *at)
{
    size_t n = 1;
    if (*at != '"')
        return word_at(at);
    while (at[n] && at[n] != '"')
        n += at[n] == '\\' && at[n + 1] ? 2 : 1;
    return at[n] ? n + 1 : 0;
}

static size_t type_at(const char *at)
{
    static const char *const types[] = {"(string)",  "(int)",    "(uint)",   "(gint64)",
                                        "(guint64)", "(double)", "(boolean)"};
    for (guint i = 0; i < G_N_ELEMENTS(types); i++)
        if (g_str_has_prefix(at, types[i]))
            return strlen(types[i]);
    return 0;
}

/* ", NAME=(TYPE)VALUE": its bytes, or 0. *n_new counts names that are not known here. */
static size_t field_at(const char *text, gint *n_new)
{
    const char *at = text + (g_str_has_prefix(text, ", ") ? 2 : 0);
    const size_t n_name = word_at(at), n_type = at[n_name] == '=' ? type_at(at + n_name + 1) : 0;
    if (at == text || n_name == 0 || n_type == 0)
        return 0;
    char *name = g_strndup(at, n_name);
    *n_new += g_quark_try_string(name) == 0;
    g_free(name);
    at += n_name + 1 + n_type;
    const size_t n_value = value_at(at);
    return n_value ? (size_t)(at - text) + n_value : 0;
}

/* Whether there is room for so many new names, which is then taken. */
static gboolean may_learn(gint n)
{
    static gint n_learned;
    if (n == 0 || g_atomic_int_add(&n_learned, n) <= SAC_CONTROL_NAMES - n)
        return TRUE;
    g_atomic_int_add(&n_learned, -n);
    return FALSE;
}

GstStructure *sac_control_read(const char *text)
{
    const char *at = text + strlen(SAC_GST_CONTROL);
    gint n_new = 0;
    if (!g_str_has_prefix(text, SAC_GST_CONTROL))
        return NULL;
    for (size_t n; (n = field_at(at, &n_new)) > 0;)
        at += n;
    return strcmp(at, ";") == 0 && may_learn(n_new) ? gst_structure_from_string(text, NULL) : NULL;
}
