/*
 * Pictures that commands read: what reading changed or left out is told.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pictures.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "command.h"
#include "options.h"

/* Some systems' decoders (libjxl in Debian 12) print where a file is damaged; what was wrong comes
 * back as an error. Standard error as it was, to be put back; -1: it was left alone. */
static int hush(void)
{
    fflush(stderr);
    int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int nothing = kept < 0 ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nothing >= 0) {
        dup2(nothing, STDERR_FILENO);
        close(nothing);
    } else if (kept >= 0) {
        close(kept);
        kept = -1;
    }
    return kept;
}

static void speak(int kept)
{
    if (kept >= 0) {
        dup2(kept, STDERR_FILENO);
        close(kept);
    }
}

sac_status cli_picture_read(sac_picture **out, const char *path, int32_t max_pixels, int32_t page,
                            sac_error *err)
{
    sac_picture_read_desc desc;
    sac_picture_read_desc_init(&desc);
    desc.max_pixels = (uint64_t)max_pixels;
    desc.page = page;
    int kept = cli_is_heard() ? -1 : hush(); /* not while others speak */
    sac_status st = sac_picture_read_with(out, path, &desc, err);
    speak(kept);
    const char *note = st == SAC_OK ? sac_picture_get_note(*out) : "";
    if (note[0]) {
        cli_warn("`%s`: %s", path, note);
    }
    return st;
}
