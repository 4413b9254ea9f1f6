/*
 * The demo's sections: each pipeline shows itself on real data and says what it wrote.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_DEMO_DEMO_H
#define CLI_DEMO_DEMO_H

#include <saccade/array.h>
#include <saccade/device.h>

#include "command.h"

typedef struct cli_demo_options {
    size_t struct_size;
    const char *output; /* the folder, without a slash at its end */
    int32_t threads;
    sac_device device;
    const char *clip; /* a video of the user's, or NULL */
    int32_t max_pixels;
    bool drawn; /* pictures are rendered, also where there are photographs */
    char **inputs; /* n_inputs pictures that the user gave; none: the demo's own */
    int n_inputs;
} cli_demo_options;

/* Sections: print a heading, a table and where the results are. Return an exit status. */
int cli_demo_equalize(const cli_demo_options *options);
int cli_demo_beamform(const cli_demo_options *options);
int cli_demo_motion(const cli_demo_options *options);
int cli_demo_meltpool(const cli_demo_options *options);
int cli_demo_live(const cli_demo_options *options);

/* Renders a landscape in the morning into a u8 RGB picture (h, w, 3). */
void cli_demo_scene(const sac_array *picture);

#endif
