/*
 * read_ranges FILE: whether some transmits of a recording, read alone, and what is known of it
 * without its samples, are those of all that is read; and that transmits it has not are refused.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "recording_ranges.h"

static int fail(const char *path, int64_t first, int64_t n, const char *what)
{
    fprintf(stderr, "%s: %lld transmits from %lld on: %s\n", path, (long long)n, (long long)first,
            what);
    return 1;
}

static int refuses(const char *path, int64_t first, int64_t n)
{
    sac_recording *r = NULL;
    sac_error err = {0};
    sac_recording_desc desc;
    sac_recording_desc_init(&desc);
    desc.first_transmit = first;
    desc.n_transmits = n;
    if (sac_recording_read(&r, path, &desc, &err) == SAC_E_INVALID &&
        strstr(err.text, "transmits: "))
        return 0;
    sac_recording_close(&r);
    return fail(path, first, n, err.text[0] ? err.text : "are read");
}

int main(int argc, char **argv)
{
    sac_recording *whole = NULL;
    sac_error err = {0};
    sac_recording_desc desc;
    sac_recording_desc_init(&desc);
    const char *path = argc == 2 ? argv[1] : "";
    if (sac_recording_read(&whole, path, &desc, &err) != SAC_OK)
        return fail(path, 0, 0, err.text);
    const int64_t all = sac_recording_get_acquisition(whole)->n_transmits;
    const int64_t ranges[][2] = {{0, 0},       {0, all},     {0, 1},
                                 {all - 1, 1}, {all / 2, 0}, {0, all / 2}};
    int status = 0;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges && !status; i++) {
        const char *what = range_differs(path, &desc, whole, ranges[i][0], ranges[i][1], &err);
        status = what ? fail(path, ranges[i][0], ranges[i][1], what) : 0;
    }
    sac_recording_close(&whole);
    return status || refuses(path, all, 1) || refuses(path, 0, all + 1) || refuses(path, -1, 1) ||
           refuses(path, 0, -1);
}
