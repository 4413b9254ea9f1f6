/*
 * Measured times of variants: the file read and checked, and the choice by it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "room/wisdom.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <saccade/device.h>

#include "base/alloc.h"
#include "base/struct.h"

#if SAC_X86
#include <cpuid.h>
#endif

#define TIE 1.02 /* times that differ by less are the same: the table's order decides */
#define N_HEAD 4 /* lines */
#define MOST_PIXELS (INT64_C(1) << 62)
#define MOST_PS UINT64_C(1000000000000000000) /* eleven days */

/* Family, model and stepping, which a product's name may leave open; 0: unknown. */
static uint32_t cpu_signature(void)
{
    uint32_t a = 0;
#if SAC_X86
    uint32_t b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d))
        a = 0;
#endif
    return a;
}

void sac_wisdom_head(char *text, size_t size)
{
    sac_build build = {.struct_size = sizeof build};
    char cpu[128], names[64];
    sac_build_info(&build);
    snprintf(text, size, "saccade wisdom 1\nbuild %s %s\ncpu %s (%x)\nfeatures %s\n", build.version,
             build.commit, sac_cpu_model(cpu, sizeof cpu), cpu_signature(),
             sac_cpu_names(sac_cpu_features(), names, sizeof names));
}

/* The next line, its end replaced by 0; NULL: there is none, or it has no end. */
static char *next_line(char **rest, const char *end)
{
    char *line = *rest;
    char *stop = memchr(line, '\n', (size_t)(end - line));
    if (!stop)
        return NULL;
    *stop = '\0';
    *rest = stop + 1;
    return line;
}

/* A name up to the space behind it, which becomes 0; NULL: it is none. */
static const char *take_name(char **at)
{
    char *name = *at;
    const size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-");
    if (n == 0 || n >= SAC_WISDOM_NAME || name[n] != ' ')
        return NULL;
    name[n] = '\0';
    *at = name + n + 1;
    return name;
}

/* Decimal digits up to `behind`, without zeros before them; false: something else, or too large. */
static bool take_number(uint64_t *out, char **at, uint64_t most, char behind)
{
    const char *s = *at;
    const size_t n = strspn(s, "0123456789");
    if (n == 0 || n > 19 || (s[0] == '0' && n > 1) || s[n] != behind)
        return false;
    *out = strtoull(s, NULL, 10);
    *at += n + (behind != '\0');
    return *out <= most;
}

static bool take_entry(sac_wisdom_entry *e, char *line)
{
    uint64_t channels, pixels;
    e->room = take_name(&line);
    if (!e->room || !take_number(&channels, &line, 4, ' ') ||
        !take_number(&pixels, &line, MOST_PIXELS, ' '))
        return false;
    e->n_channels = (int32_t)channels;
    e->pixels = (int64_t)pixels;
    e->variant = take_name(&line);
    return e->variant && take_number(&e->ps, &line, MOST_PS, '\0') && e->ps > 0;
}

static sac_status check_head(char **rest, const char *end, sac_error *err)
{
    static const char *const whats[N_HEAD] = {NULL, "build", "CPU", "set of CPU features"};
    char head[512], *want = head, *line;
    sac_wisdom_head(head, sizeof head);
    const char *const head_end = head + strlen(head);
    for (int i = 0; i < N_HEAD; i++) {
        const char *wanted = next_line(&want, head_end);
        line = next_line(rest, end);
        if (!line || (i == 0 && strcmp(line, wanted) != 0))
            return sac_fail(err, SAC_E_FORMAT, "line %d: not saccade's", i + 1);
        if (strcmp(line, wanted) != 0)
            return sac_fail(err, SAC_E_UNSUPPORTED, "of another %s", whats[i]);
    }
    return SAC_OK;
}

static int32_t count_lines(const char *text, size_t size)
{
    int32_t n = 0;
    for (size_t i = 0; i < size; i++)
        n += text[i] == '\n';
    return n;
}

static sac_status take_entries(sac_wisdom *out, char *rest, const char *end, sac_error *err)
{
    char *line;
    while ((line = next_line(&rest, end)) != NULL) {
        uint64_t n;
        char *at = line + 4;
        if (!strncmp(line, "end ", 4) && take_number(&n, &at, INT32_MAX, '\0') &&
            n == (uint64_t)out->n && rest == end)
            return SAC_OK;
        if (!take_entry(&out->entries[out->n], line))
            break;
        out->n++;
    }
    return sac_fail(err, SAC_E_FORMAT, "line %d: damaged", out->n + N_HEAD + 1);
}

sac_status sac_wisdom_parse(sac_wisdom *out, char *text, size_t size, sac_error *err)
{
    char *rest = text;
    *out = (sac_wisdom){0};
    sac_status status = check_head(&rest, text + size, err);
    if (status)
        return status;
    out->entries = sac_alloc((size_t)count_lines(rest, (size_t)(text + size - rest)) + 1,
                             sizeof *out->entries);
    if (!out->entries)
        return sac_fail(err, SAC_E_NOMEM, "no memory for %zu bytes", size);
    status = take_entries(out, rest, text + size, err);
    if (status)
        sac_wisdom_close(out);
    return status;
}

void sac_wisdom_close(sac_wisdom *wisdom)
{
    sac_free(wisdom->entries);
    *wisdom = (sac_wisdom){0};
}

/* How many times as large as the other one the larger frame is; of unknown size: any is nearer. */
static double distance(const sac_wisdom_entry *e, const sac_variant_shape *shape)
{
    const double a = (double)e->pixels, b = (double)shape->pixels;
    return a == 0 || b == 0 ? (a == b ? 1 : (double)MOST_PIXELS) : a > b ? a / b : b / a;
}

static bool suits(const sac_wisdom_entry *e, const sac_room *room, const sac_variant_shape *shape)
{
    return (e->n_channels == 0 || shape->n_channels == 0 || e->n_channels == shape->n_channels) &&
           !strcmp(e->room, room->name);
}

static const sac_wisdom_entry *find_nearest(const sac_wisdom *wisdom, const sac_room *room,
                                            const sac_variant_shape *shape)
{
    const sac_wisdom_entry *nearest = NULL;
    for (int32_t i = 0; i < wisdom->n; i++) {
        const sac_wisdom_entry *e = &wisdom->entries[i];
        if (suits(e, room, shape) && (!nearest || distance(e, shape) < distance(nearest, shape)))
            nearest = e;
    }
    return nearest;
}

/* A variant's time where `like` was measured; 0: it has none. */
static uint64_t time_of(const sac_wisdom *wisdom, const sac_wisdom_entry *like,
                        const sac_variant *v)
{
    for (int32_t i = 0; i < wisdom->n; i++) {
        const sac_wisdom_entry *e = &wisdom->entries[i];
        if (e->pixels == like->pixels && e->n_channels == like->n_channels &&
            !strcmp(e->variant, v->name) && !strcmp(e->room, like->room))
            return e->ps;
    }
    return 0;
}

const sac_variant *sac_wisdom_choose(const sac_wisdom *wisdom, const sac_room *room, sac_tier tier,
                                     uint32_t usable, const sac_variant_shape *shape,
                                     const sac_variant *fastest)
{
    static const sac_variant_shape any = {0};
    const sac_wisdom_entry *like = find_nearest(wisdom, room, shape ? shape : &any);
    if (!like)
        return fastest;
    double least = (double)time_of(wisdom, like, fastest) / TIE;
    if (least == 0)
        return fastest;
    for (const sac_variant *v = room->variants; v->name; v++) {
        const double ps = (double)time_of(wisdom, like, v);
        if (ps > 0 && ps < least && sac_variant_may_run(v, tier, usable)) {
            fastest = v;
            least = ps;
        }
    }
    return fastest;
}

/* The process's own: set once, then read alone. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sac_wisdom own;
static char own_path[1024];
static sac_error own_fault;

/* "": it is turned off, or there is no home. */
static void find_path(char *path, size_t size)
{
    const char *file = getenv("SAC_WISDOM"), *cache = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    int n = 0;
    path[0] = '\0';
    if (file)
        n = snprintf(path, size, "%s", file);
    else if (cache && cache[0] == '/')
        n = snprintf(path, size, "%s/saccade/wisdom", cache);
    else if (home && home[0] == '/')
        n = snprintf(path, size, "%s/.cache/saccade/wisdom", home);
    if (n < 0 || (size_t)n >= size)
        path[0] = '\0';
}

/* Its bytes and a 0; NULL: *err says why, but where there is no file by default. */
static char *read_file(size_t *size, const char *path, sac_error *err)
{
    struct stat info;
    char *text = NULL;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        if (errno != ENOENT || getenv("SAC_WISDOM"))
            (void)sac_fail(err, SAC_E_IO, "%s", strerror(errno));
        return NULL;
    }
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > SAC_WISDOM_MAX_BYTES)
        (void)sac_fail(err, SAC_E_FORMAT, "no file of at most %d bytes", SAC_WISDOM_MAX_BYTES);
    else if (!(text = sac_alloc((size_t)info.st_size + 1, 1)))
        (void)sac_fail(err, SAC_E_NOMEM, "no memory for %lld bytes", (long long)info.st_size);
    *size = 0;
    for (ssize_t n = 1; text && n > 0 && *size<(size_t)info.st_size; *size += n> 0 ? (size_t)n : 0)
        n = read(fd, text + *size, (size_t)info.st_size - *size);
    close(fd);
    return text;
}

static void load(void)
{
    static char *text;
    size_t size = 0;
    find_path(own_path, sizeof own_path);
    text = own_path[0] ? read_file(&size, own_path, &own_fault) : NULL;
    if (text && sac_wisdom_parse(&own, text, size, &own_fault) != SAC_OK) {
        sac_free(text);
        text = NULL;
    }
}

const sac_wisdom *sac_wisdom_get(void)
{
    (void)pthread_once(&once, load);
    return &own;
}

void sac_wisdom_describe(sac_wisdom_info *info)
{
    const sac_wisdom_info all = {.struct_size = sizeof all,
                                 .path = own_path,
                                 .ignored = own_fault.text,
                                 .n_entries = sac_wisdom_get()->n};
    sac_struct_give(info, &all);
}
