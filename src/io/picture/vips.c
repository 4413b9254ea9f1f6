/*
 * libvips: its start, its words.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/picture/vips.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded, started;

static void be_silent(const gchar *domain, GLogLevelFlags level, const gchar *message,
                      gpointer data)
{
    (void)domain, (void)level, (void)message, (void)data;
}

static void start(void)
{
    loaded = sac_vips_load();
    if (!loaded)
        return;
    /* A library does not print: libvips' warnings (odd tags, missing profiles) would go to standard
     * error. Its errors come back as status. */
    g_log_set_handler("VIPS", G_LOG_LEVEL_WARNING | G_LOG_LEVEL_MESSAGE | G_LOG_LEVEL_INFO,
                      be_silent, NULL);
    started = VIPS_INIT("saccade") == 0;
}

sac_status sac_vips_start(const char *name, sac_error *err)
{
    pthread_once(&once, start);
    if (!loaded)
        return sac_fail(err, SAC_E_UNSUPPORTED, "%s: needs libvips, which cannot be loaded", name);
    return started ? SAC_OK : sac_vips_fail(err, SAC_E_UNSUPPORTED, name, "libvips does not start");
}

void sac_vips_reason(char *text, size_t size)
{
    char *reason = vips_error_buffer_copy();
    reason[strcspn(reason, "\n")] = '\0'; /* the first line is the cause: "class: cause" */
    const char *cause = strstr(reason, ": ");
    snprintf(text, size, "%s", cause ? cause + 2 : reason);
    g_free(reason);
    for (char *c = text; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
}

sac_status sac_vips_fail(sac_error *err, sac_status status, const char *name, const char *what)
{
    char reason[100];
    sac_vips_reason(reason, sizeof reason);
    if (strstr(reason, "out of memory"))
        status = SAC_E_NOMEM;
    return sac_fail(err, status, "%s: %s: %s", name, what, reason);
}

/* What is kept of a picture beside its pixels: beginnings of libvips' names. Palettes, depths, page
 * counts and the like are not: they may no longer fit. */
static const char *const kept[] = {
    VIPS_META_ICC_NAME,
    VIPS_META_EXIF_NAME,
    VIPS_META_XMP_NAME,
    VIPS_META_IPTC_NAME,
    VIPS_META_ORIENTATION,
    VIPS_META_RESOLUTION_UNIT,
    VIPS_META_IMAGEDESCRIPTION,
    "exif-ifd",
    "png-comment-",
};

static void *keep(VipsImage *from, const char *name, GValue *value, void *to)
{
    (void)from;
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        if (strncmp(name, kept[i], strlen(kept[i])) == 0)
            vips_image_set(to, name, value);
    return NULL;
}

void sac_vips_keep(VipsImage *to, VipsImage *from)
{
    vips_image_map(from, keep, to);
}

void sac_vips_free(void *extra)
{
    if (extra)
        g_object_unref(extra);
}
