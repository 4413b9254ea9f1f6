/*
 * An image that tests write in parts.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TEST_IMAGE_PARTS_H
#define TEST_IMAGE_PARTS_H

#include "test_recording.h"

#include <fcntl.h>
#include <unistd.h>

enum { X = 7, Z = 5, FRAMES = 23, PART = 4, PARTS = 6 };

static float values[FRAMES * Z * X];

static inline sac_array frames_of(int64_t first, int64_t n)
{
    sac_array a;
    sac_error err;
    for (int i = 0; i < FRAMES * Z * X; i++)
        values[i] = 0.5F * (float)i;
    assert_ok(sac_array_view(&a, values + first * Z * X, SAC_F32, 3, (int64_t[]){n, Z, X}, &err),
              &err);
    return a;
}

static inline sac_image_info info_of(void)
{
    sac_image_info info;
    sac_image_info_init(&info);
    info.grid = (sac_grid){{-1e-2, 0, 1e-2}, {1e-2, 0, 4e-2}, {X, 1, Z}};
    info.output = SAC_OUTPUT_ENVELOPE;
    return info;
}

static inline sac_status open_parts(sac_image_parts **parts, const char *path, const char *work,
                                    bool resume, bool join, sac_error *err)
{
    const sac_image_info info = info_of();
    sac_array whole = frames_of(0, FRAMES);
    sac_image_parts_desc desc;
    sac_image_parts_desc_init(&desc);
    whole.data = NULL;
    desc.path = path, desc.image = &whole, desc.info = &info, desc.n_part_frames = PART;
    desc.work = work, desc.resume = resume, desc.join = join;
    return sac_image_parts_open(parts, &desc, err);
}

static inline void begin(sac_image_parts **parts, const char *path, bool resume)
{
    sac_error err = {0};
    assert_ok(open_parts(parts, path, "this work", resume, false, &err), &err);
}

static inline void put(sac_image_parts *parts, int64_t index)
{
    sac_error err = {0};
    const sac_array part =
        frames_of(index * PART, index == PARTS - 1 ? FRAMES - (PARTS - 1) * PART : PART);
    assert_ok(sac_image_parts_write(parts, index, &part, &err), &err);
}

/* The values behind the head of the file are all frames', in their order. */
static inline void assert_whole(const char *path)
{
    static uint8_t bytes[1 << 16];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    bool found = false;
    for (size_t i = 0; i + sizeof values <= n && !found; i++)
        found = memcmp(bytes + i, values, sizeof values) == 0;
    assert_true(found);
    assert_int_equal(access(".i.npy.part", F_OK), -1);
    assert_int_equal(access(".i.npy.done", F_OK), -1);
}

static inline void put_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static inline void assert_text(const char *path, const char *wanted)
{
    char text[64] = "";
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    assert_string_equal(text, wanted);
}

#endif
