/*
 * How many frames a second a delta stream has.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "packets.h"

enum { MOST_GAPS = 255 };

static int order(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Between packets that follow each other; what is missing, and another sender, is left out. */
static size_t read_gaps(sac_sdv_reader *reader, uint64_t gaps[MOST_GAPS])
{
    sac_delta_packet packet;
    sac_error err;
    size_t n = 0;
    uint64_t frame = 0, time_ns = 0;
    for (int i = 0; i <= MOST_GAPS; i++) {
        const sac_status st = sac_sdv_read(reader, &packet, &err);
        if (st == SAC_E_FORMAT) {
            continue;
        }
        if (st != SAC_OK) {
            break;
        }
        if (i > 0 && packet.frame == frame + 1 && packet.time_ns > time_ns) {
            gaps[n++] = packet.time_ns - time_ns;
        }
        frame = packet.frame;
        time_ns = packet.time_ns;
    }
    return n;
}

uint64_t cli_packets_period(const char *path)
{
    uint64_t gaps[MOST_GAPS];
    struct stat info;
    sac_sdv_reader *reader = NULL;
    sac_error err;
    size_t n = 0;
    if (stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
        sac_sdv_reader_open(&reader, path, &err) == SAC_OK &&
        sac_sdv_reader_limit(reader, CLI_PACKETS_PIXELS, &err) == SAC_OK) {
        n = read_gaps(reader, gaps);
        qsort(gaps, n, sizeof *gaps, order);
    }
    sac_sdv_reader_close(&reader);
    return n ? gaps[(n - 1) / 2] : 0;
}
