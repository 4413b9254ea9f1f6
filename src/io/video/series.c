/*
 * The names of a series of pictures: a pattern with a number, the files of a folder, or one file.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/video/parts.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/system.h"

#define MAX_DIGITS 9
#define FIRST_NUMBERS 10 /* a series begins with one of 0 to 9 */
#define FOLDER_PATTERN "frame-%06d.ppm"

static bool ends_in_slash(const char *path)
{
    size_t length = strlen(path);
    return length > 0 && path[length - 1] == '/';
}

static bool is_folder(const char *path)
{
    struct stat st;
    return ends_in_slash(path) || (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

bool sac_series_is(const char *path)
{
    return strcmp(path, "-") != 0 &&
           (strchr(path, '%') || is_folder(path) || sac_picture_ends(path));
}

static sac_status take_path(sac_series *series, const char *path, const char *more, sac_error *err)
{
    char name[SAC_IO_NAME];
    const char *joint = *more && !ends_in_slash(path) ? "/" : "";
    memset(series, 0, sizeof *series);
    series->pattern = -1;
    series->n_files = 1;
    int length = snprintf(series->path, sizeof series->path, "%s%s%s", path, joint, more);
    if (length < 0 || (size_t)length + MAX_DIGITS >= sizeof series->path)
        return sac_fail(err, SAC_E_IO, "%s: %s", sac_io_name(name, path, path),
                        strerror(ENAMETOOLONG));
    return SAC_OK;
}

/* Finds "%d" or "%04d" in the path, if there is a '%'. */
static sac_status find_pattern(sac_series *series, sac_error *err)
{
    char name[SAC_IO_NAME];
    const char *percent = strchr(series->path, '%');
    if (!percent)
        return SAC_OK;
    int digits = 0, end = 0;
    bool good = sscanf(percent, "%%0%1d%n", &digits, &end) == 1 || percent[1] == 'd';
    end = end ? end : 1;
    if (!good || percent[end] != 'd' || strchr(percent + 1, '%'))
        return sac_fail(err, SAC_E_INVALID,
                        "%s: expected one %%d or %%04d for the number of the frame",
                        sac_io_name(name, series->path, "-"));
    series->pattern = (int)(percent - series->path);
    series->digits = digits;
    series->length = end + 1;
    series->n_files = -1;
    return SAC_OK;
}

static const char *numbered(sac_series *series, int64_t number)
{
    snprintf(series->name, sizeof series->name, "%.*s%0*" PRId64 "%s", series->pattern,
             series->path, series->digits, number, series->path + series->pattern + series->length);
    return series->name;
}

static bool is_there(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

static int is_shown_picture(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && sac_picture_ends(entry->d_name);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return sac_system_compare_names((*a)->d_name, (*b)->d_name);
}

static sac_status list_folder(sac_series *series, sac_error *err)
{
    char name[SAC_IO_NAME];
    int n = scandir(series->path, &series->files, is_shown_picture, by_name);
    if (n <= 0)
        return sac_fail(err, SAC_E_IO, "%s: %s", sac_io_name(name, series->path, "-"),
                        n < 0 ? strerror(errno) : "no pictures in this folder");
    series->n_files = n;
    return SAC_OK;
}

sac_status sac_series_open_read(sac_series *series, const char *path, sac_error *err)
{
    char name[SAC_IO_NAME];
    sac_status st = take_path(series, path, "", err);
    st = st ? st : find_pattern(series, err);
    if (st != SAC_OK)
        return st;
    if (series->pattern < 0)
        return is_folder(path) ? list_folder(series, err) : SAC_OK;
    while (series->next < FIRST_NUMBERS && !is_there(numbered(series, series->next)))
        series->next++;
    if (series->next == FIRST_NUMBERS)
        return sac_fail(err, SAC_E_IO, "%s: found no such picture with a number from 0 to %d",
                        sac_io_name(name, path, "-"), FIRST_NUMBERS - 1);
    series->n_files = series->next + 1;
    while (is_there(numbered(series, series->n_files)))
        series->n_files++;
    return SAC_OK;
}

sac_status sac_series_open_write(sac_series *series, const char *path, sac_error *err)
{
    bool folder = is_folder(path) && !strchr(path, '%');
    sac_status st = take_path(series, path, folder ? FOLDER_PATTERN : "", err);
    st = st ? st : find_pattern(series, err);
    char name[SAC_IO_NAME];
    if (st == SAC_OK && folder && mkdir(path, 0777) != 0 && errno != EEXIST)
        st = sac_fail(err, SAC_E_IO, "%s: cannot make this folder: %s",
                      sac_io_name(name, path, "-"), strerror(errno));
    return st;
}

const char *sac_series_next(sac_series *series)
{
    if (series->n_files >= 0 && series->next >= series->n_files)
        return NULL;
    int64_t i = series->next++;
    if (series->pattern >= 0)
        return numbered(series, i);
    if (!series->files)
        return series->path;
    int length = snprintf(series->name, sizeof series->name, "%s%s%s", series->path,
                          ends_in_slash(series->path) ? "" : "/", series->files[i]->d_name);
    return (size_t)length < sizeof series->name ? series->name : NULL;
}

void sac_series_close(sac_series *series)
{
    for (int64_t i = 0; series->files && i < series->n_files; i++)
        free(series->files[i]);
    free(series->files);
    series->files = NULL;
}
