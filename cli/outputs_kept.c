/*
 * No output replaces a file that is read, or the metadata beside it, however either is spelled.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "videos.h"
#include "outputs.h"

/* A file that is read. */
typedef struct place {
    dev_t device;
    ino_t number;
    const char *owner; /* NULL: read itself; else what it is the metadata of */
} place;

typedef struct place_list {
    place *places;
    size_t n, room;
} place_list;

/* Called with each file that a path stands for and that is there; false: enough. */
typedef bool visit_fn(void *ctx, const char *path, const struct stat *info);

static bool visit_path(visit_fn *visit, void *ctx, const char *path)
{
    struct stat info;
    return stat(path, &info) != 0 || !S_ISREG(info.st_mode) || visit(ctx, path, &info);
}

/* "0012.png" of "%04d.png": digits, then the rest of the name. */
static bool fits(const char *name, const char *before, size_t n_before, const char *after)
{
    size_t n_digits = strspn(name + (strncmp(name, before, n_before) ? 0 : n_before), "0123456789");
    return strncmp(name, before, n_before) == 0 && n_digits > 0 &&
           strcmp(name + n_before + n_digits, after) == 0;
}

/* Files of the folder, the first n_folder bytes of `folder`, whose names are `before`, a number,
 * `after`; all where `before` is NULL. */
static void visit_folder(visit_fn *visit, void *ctx, const char *folder, int n_folder,
                         const char *before, size_t n_before, const char *after)
{
    char *name = cli_text("%.*s", n_folder ? n_folder : 1, n_folder ? folder : ".");
    DIR *dir = opendir(name);
    bool more = dir != NULL;
    for (struct dirent *e; more && (e = readdir(dir)) != NULL;) {
        if (!before || fits(e->d_name, before, n_before, after)) {
            const char *joint = n_folder > 0 && folder[n_folder - 1] == '/' ? "" : "/";
            char *path =
                cli_text("%.*s%s%s", n_folder, folder, n_folder > 0 ? joint : "", e->d_name);
            more = visit_path(visit, ctx, path);
            free(path);
        }
    }
    if (dir) {
        closedir(dir);
    }
    free(name);
}

/* The files of a path: itself, what a folder holds (of an output: the frames that go there), or
 * what a pattern fits. */
static void visit_files(visit_fn *visit, void *ctx, const char *path, bool is_output)
{
    static const char frames[] = "frame-";
    struct stat info;
    const char *base = cli_base_name(path), *percent = strchr(base, '%');
    if (cli_is_dash(path)) {
        if (!is_output && fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode)) {
            visit(ctx, path, &info);
        }
    } else if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        visit_folder(visit, ctx, path, (int)strlen(path), is_output ? frames : NULL,
                     sizeof frames - 1, ".ppm");
    } else if (percent && percent[1 + strspn(percent + 1, "0123456789")] == 'd' &&
               access(path, F_OK) != 0) {
        visit_folder(visit, ctx, path, (int)(base - path), base, (size_t)(percent - base),
                     percent + 2 + strspn(percent + 1, "0123456789"));
    } else {
        visit_path(visit, ctx, path);
    }
}

char *cli_outputs_beside(const char *path)
{
    bool is_npy = path && cli_ends_in(path, (const char *[]){".npy", NULL});
    return is_npy ? cli_text("%.*s.json", (int)strlen(path) - 4, path) : NULL;
}

static void add(place_list *list, const struct stat *info, const char *owner)
{
    if (list->n == list->room) {
        size_t room = 2 * list->room + 16;
        list->places = cli_grow(list->places, list->room, room, sizeof *list->places);
        list->room = room;
    }
    list->places[list->n++] = (place){info->st_dev, info->st_ino, owner};
}

static bool add_read(void *ctx, const char *path, const struct stat *info)
{
    (void)path;
    add(ctx, info, NULL);
    return true;
}

static int by_number(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->device != y->device) {
        return x->device < y->device ? -1 : 1;
    }
    return x->number < y->number ? -1 : x->number > y->number;
}

static void list_read(place_list *list, const char *const *read, int n)
{
    for (int i = 0; i < n; i++) {
        struct stat info;
        char *metadata = read[i] ? cli_outputs_beside(read[i]) : NULL;
        if (metadata && stat(metadata, &info) == 0 && S_ISREG(info.st_mode)) {
            add(list, &info, read[i]);
        }
        free(metadata);
        if (read[i]) {
            visit_files(add_read, list, read[i], false);
        }
    }
    if (list->n > 0) {
        qsort(list->places, list->n, sizeof *list->places, by_number);
    }
}

typedef struct search {
    const cli_command *command;
    const place_list *list;
    int status;
} search;

static bool check_written(void *ctx, const char *path, const struct stat *info)
{
    search *s = ctx;
    const place wanted = {info->st_dev, info->st_ino, NULL};
    const place *found =
        s->list->n > 0 ? bsearch(&wanted, s->list->places, s->list->n, sizeof wanted, by_number)
                       : NULL;
    if (found && found->owner) {
        s->status = cli_misuse(s->command, "%s is the metadata of %s, and would be written over",
                               path, found->owner);
    } else if (found) {
        s->status = cli_misuse(s->command, "%s is read, and would be written over", path);
    }
    return !found;
}

/* Metadata that are not there yet: a report under their name would be read as such. */
static int check_names(const cli_command *command, const char *read, const char *const *written,
                       int n)
{
    char *metadata = cli_outputs_beside(read);
    int status = CLI_DONE;
    for (int i = 0; metadata && i < n && !status; i++) {
        if (written[i] && !cli_is_dash(written[i]) && cli_is_same_name(metadata, written[i])) {
            status =
                cli_misuse(command, "%s would be read as the metadata of %s", written[i], read);
        }
    }
    free(metadata);
    return status;
}

/* One folder, or one pattern, be there files that fit it or not. */
static bool is_same_series(const char *a, const char *b)
{
    struct stat info;
    const bool is_folder = stat(a, &info) == 0 && S_ISDIR(info.st_mode);
    return is_folder ? cli_is_same_file(a, b)
                     : strchr(a, '%') && access(a, F_OK) != 0 && cli_is_same_name(a, b);
}

static int check_series(const cli_command *command, const char *read, const char *const *written,
                        int n)
{
    int status = CLI_DONE;
    for (int i = 0; i < n && !status; i++) {
        if (written[i] && is_same_series(read, written[i])) {
            status = cli_misuse(command, "%s is read, and would be written over", written[i]);
        }
    }
    return status;
}

int cli_inputs_kept(const cli_command *command, const char *const *read, int n_read,
                    const char *const *written, int n_written)
{
    place_list list = {0};
    list_read(&list, read, n_read);
    search s = {command, &list, CLI_DONE};
    for (int i = 0; i < n_written && !s.status; i++) {
        if (written[i]) {
            visit_files(check_written, &s, written[i], true);
        }
    }
    free(list.places);
    for (int i = 0; i < n_read && !s.status; i++) {
        if (read[i]) {
            s.status = check_names(command, read[i], written, n_written);
            s.status = s.status ? s.status : check_series(command, read[i], written, n_written);
        }
    }
    return s.status;
}

#define LEAST_DIGITS 4 /* of a number that a series' name gets */

/* Whether `text` begins with a number as "%04d" (least 4) writes it: filled up with zeros, no more.
 */
static bool is_number(const char *text, int least)
{
    const int n = (int)strspn(text, "0123456789");
    return n >= least && (n <= (least > 1 ? least : 1) || text[0] != '0');
}

/* Whether `name` is one of the names that a series gets from `base`: its own with a number before
 * the ending ("a-0003.png" of "a.png"), or what its pattern ("a-%04d.png") makes. */
static bool is_numbered(const char *base, const char *name)
{
    const char *percent = strchr(base, '%'), *ending = strrchr(base, '.');
    if (percent) {
        const char *after = percent + 1 + strspn(percent + 1, "0123456789");
        return *after == 'd' && fits(name, base, (size_t)(percent - base), after + 1) &&
               is_number(name + (percent - base), (int)strtol(percent + 1, NULL, 10));
    }
    ending = ending ? ending : base + strlen(base);
    const size_t n = (size_t)(ending - base);
    return strncmp(name, base, n) == 0 && name[n] == '-' && is_number(name + n + 1, LEAST_DIGITS) &&
           fits(name + n, "-", 1, ending);
}

const char *cli_series_clash(const char *series, const char *const *others, int n)
{
    const char *base = cli_base_name(series), *found = NULL;
    for (int i = 0; i < n && !found; i++) {
        const char *name = others[i] ? cli_base_name(others[i]) : "";
        if (!others[i] || cli_is_dash(others[i]) || !is_numbered(base, name)) {
            continue;
        }
        char *own = cli_text("%.*s%s", (int)(base - series), series, name);
        found = cli_is_same_name(own, others[i]) ? others[i] : NULL;
        free(own);
    }
    return found;
}

int cli_series_apart(const cli_command *command, const char *series, const char *const *others,
                     int n)
{
    const char *other = cli_series_clash(series, others, n);
    return other
               ? cli_misuse(command, "%s may be one of the numbered pictures of %s", other, series)
               : CLI_DONE;
}
