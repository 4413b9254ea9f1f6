/*
 * A stranger's program, C and C++ alike: public headers and the shared library, nothing else.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/saccade.h>

#include <stdio.h>
#include <string.h>

#define W 16
#define H 4

static int fail(const char *what, const sac_error *err)
{
    fprintf(stderr, "%s: %s\n", what, err->text);
    return 1;
}

int main(void)
{
    static uint8_t in[H * W * 3];
    static uint8_t out[H * W * 3];
    const int64_t shape[3] = {H, W, 3};
    sac_error err;
    memset(&err, 0, sizeof err);
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (uint8_t)(i / 2);

    sac_array from;
    sac_array to;
    if (sac_array_view(&from, in, SAC_U8, 3, shape, &err) != SAC_OK ||
        sac_array_view(&to, out, SAC_U8, 3, shape, &err) != SAC_OK)
        return fail("view", &err);

    sac_equalize_desc desc;
    sac_equalize_desc_init(&desc);
    desc.dtype = SAC_U8;
    desc.w = W;
    desc.h = H;
    sac_equalize *plan = NULL;
    if (sac_equalize_open(&plan, &desc, &err) != SAC_OK)
        return fail("open", &err);
    const sac_status status = sac_equalize_run(plan, &to, &from, NULL);
    sac_equalize_close(&plan);
    if (status != SAC_OK || plan != NULL)
        return fail("run", &err);

    /* The brightest pixel's largest channel becomes 255. */
    uint8_t brightest = 0;
    for (size_t i = 0; i < sizeof out; i++)
        brightest = out[i] > brightest ? out[i] : brightest;
    sac_build build;
    build.struct_size = sizeof build;
    sac_build_info(&build);
    printf("saccade %s: brightest %u\n", build.version, (unsigned)brightest);
    return brightest == 255 ? 0 : 1;
}
