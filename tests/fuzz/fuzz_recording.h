/*
 * What the fuzzers of recordings share: a folder of their own, and what must hold after a read.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_FUZZ_RECORDING_H
#define SAC_FUZZ_RECORDING_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording_ranges.h"

#define FUZZ_MAX_BYTES (UINT64_C(1) << 24)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static char fuzz_folder[64];

static void fuzz_leave(void)
{
    unlink("x.npy");
    unlink("x.json");
    unlink("x");
    if (chdir("/") == 0)
        rmdir(fuzz_folder);
}

/* In memory where the system has such a folder. libFuzzer's own paths must be absolute. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    snprintf(fuzz_folder, sizeof fuzz_folder, "%s/saccade-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(fuzz_folder) || chdir(fuzz_folder) != 0)
        abort();
    atexit(fuzz_leave);
    return 0;
}

static inline void fuzz_put(const char *path, const uint8_t *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    close(fd);
}

/* Reads the file: a sound recording, of which one transmit alone is the same, or an error with its
 * reason. `given`: the caller says what the file need not. */
static inline void fuzz_read(const char *path, bool given)
{
    sac_recording *r = NULL;
    sac_error err = {0};
    sac_recording_desc desc;
    sac_recording_desc_init(&desc);
    desc.max_bytes = FUZZ_MAX_BYTES;
    if (given) {
        desc.fs_hz = 20e6;
        desc.fc_hz = 5e6;
        desc.c_m_s = 1500;
        desc.t0_s = 0;
        desc.transmits = "plane:1:0";
    }
    sac_status st = sac_recording_read(&r, path, &desc, &err);
    if ((st == SAC_OK) != (r != NULL) || (st != SAC_OK && err.text[0] == '\0'))
        abort();
    if (r) {
        sac_array a = sac_recording_get_array(r);
        const sac_acquisition *q = sac_recording_get_acquisition(r);
        if (sac_acquisition_check(q, NULL) != SAC_OK || !sac_array_is_contiguous(&a) ||
            a.n_dims != 4 || a.shape[1] != q->n_transmits || a.shape[2] != q->n_elements ||
            (uint64_t)sac_array_count(&a) * sac_dtype_size(a.dtype) > FUZZ_MAX_BYTES)
            abort();
        if (range_differs(path, &desc, r, q->n_transmits - 1, 1, &err))
            abort();
        sac_recording_close(&r);
        return;
    }
    desc.n_transmits = 1;
    if (sac_recording_read(&r, path, &desc, &err) == SAC_OK)
        sac_recording_close(&r);
}

#endif
