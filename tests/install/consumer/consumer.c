/*
 * A program outside the tree: equalizes two pixels, and prints the version that it is linked to.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/saccade.h>
#ifndef CORE_ONLY
#include <saccade/io.h>
#include <saccade/ladder.h>
#endif
#include <stdio.h>

static int fail(const sac_error *err)
{
    fprintf(stderr, "consumer: %s\n", err->text);
    return 1;
}

/* Two gray values far below white: equalized, the darker becomes 0 and the brighter 255. */
static sac_status equalize(uint8_t pixels[2], sac_error *err)
{
    sac_equalize_desc desc;
    sac_equalize_desc_init(&desc);
    desc.dtype = SAC_U8;
    desc.w = 2;
    desc.h = 1;
    desc.n_channels = 1;

    sac_array picture;
    const int64_t shape[] = {1, 2};
    sac_status st = sac_array_view(&picture, pixels, SAC_U8, 2, shape, err);
    if (st != SAC_OK)
        return st;

    sac_equalize *plan = NULL;
    st = sac_equalize_open(&plan, &desc, err);
    if (st == SAC_OK)
        st = sac_equalize_run(plan, &picture, &picture);
    sac_equalize_close(&plan);
    return st;
}

int main(void)
{
    sac_error err = {.status = SAC_OK, .text = ""};
    uint8_t pixels[2] = {10, 20};
    if (equalize(pixels, &err) != SAC_OK)
        return fail(&err);
    if (pixels[0] != 0 || pixels[1] != 255) {
        fprintf(stderr, "consumer: wanted 0 255, got %d %d\n", pixels[0], pixels[1]);
        return 1;
    }
#ifndef CORE_ONLY
    sac_ladder_desc ladder;
    sac_ladder_desc_init(&ladder);
    if (sac_io_parts() == NULL || ladder.struct_size != sizeof ladder)
        return 1;
#endif
    printf("saccade %s\n", sac_build_info().version);
    return 0;
}
