/*
 * What scenes of all kinds have.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void list_devices(view_limits *limits)
{
    int n = 0;
    snprintf(limits->devices[n++], sizeof *limits->devices, "cpu");
    for (int i = 0; i < sac_gpu_count() && n + 1 < VIEW_DEVICES; i++) {
        snprintf(limits->devices[n++], sizeof *limits->devices, "cuda:%d", i);
    }
}

void view_scene_init(view_scene *scene, const view_kind *kind)
{
    scene->kind = kind;
    scene->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (scene->wake_fd < 0) {
        exit(cli_fail("eventfd: %s", strerror(errno)));
    }
    list_devices(&scene->limits);
}

void view_scene_end(view_scene *scene)
{
    close(scene->wake_fd);
}

void view_scene_try_variants(view_scene *scene)
{
    static const char *const names[] = {"ref",     "plain",  "auto_v3",    "avx2",
                                        "auto_v4", "avx512", "avx512vbmi", "neon"};
    bool (*const can_be)(view_scene *, const char *) = scene->kind->can_be;
    int n = 0;
    for (size_t i = 0; can_be && i < sizeof names / sizeof *names && n + 1 < VIEW_VARIANTS; i++) {
        if (can_be(scene, names[i])) {
            scene->limits.variants[n++] = names[i];
        }
    }
}

void view_scene_wake(const view_scene *scene)
{
    (void)eventfd_write(scene->wake_fd, 1); /* it fails only where it is set already */
}

sac_status view_no_memory(sac_error *err)
{
    err->status = SAC_E_NOMEM;
    snprintf(err->text, sizeof err->text, "view: no memory for a picture");
    return err->status;
}
