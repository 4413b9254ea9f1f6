/*
 * Video: colors against the formulas in double; Y4M, raw and picture series there and back.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_video.h"

static const struct {
    const char *name;
    sac_video_chroma chroma;
} chromas[] = {{"444", SAC_CHROMA_444},           {"422", SAC_CHROMA_422},
               {"420jpeg", SAC_CHROMA_420JPEG},   {"420mpeg2", SAC_CHROMA_420MPEG2},
               {"420paldv", SAC_CHROMA_420PALDV}, {"mono", SAC_CHROMA_MONO}};

static void fill(uint8_t *data, size_t size, uint32_t x)
{
    for (size_t i = 0; i < size; i++) {
        x = x * 1664525 + 1013904223;
        data[i] = (uint8_t)(x >> 24);
    }
}

static int level(double v)
{
    return (int)lrint(fmin(fmax(v, 0), 255));
}

/* Every step of 3 of all Y, Cb, Cr against the standards' formulas: 16-bit coefficients may round
 * to the neighbour. And back again. */
static void color_every_matrix_follows_its_standard(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        bool full = k & 1, hd = k & 2;
        double kr = hd ? 0.2126 : 0.299, kb = hd ? 0.0722 : 0.114, kg = 1 - kr - kb;
        sac_video_info info = info_of(1, 1, SAC_PIXEL_RGB);
        info.full_range = full;
        info.matrix = hd ? SAC_MATRIX_BT709 : SAC_MATRIX_BT601;
        sac_yuv yuv = sac_yuv_of(&info);
        double sy = full ? 1 : 255.0 / 219, sc = full ? 1 : 255.0 / 224;
        for (int i = 0; i < 86 * 86 * 86; i++) {
            uint8_t in[3] = {(uint8_t)(i % 86 * 3), (uint8_t)(i / 86 % 86 * 3),
                             (uint8_t)(i / 86 / 86 * 3)};
            uint8_t rgb[3], out[3], scratch[16];
            double y = sy * (in[0] - (full ? 0 : 16)), u = sc * (in[1] - 128),
                   v = sc * (in[2] - 128);
            sac_yuv_read(rgb, SAC_PIXEL_RGB, in, &yuv, scratch);
            int want[3] = {level(y + 2 * (1 - kr) * v),
                           level(y - 2 * (1 - kb) * kb / kg * u - 2 * (1 - kr) * kr / kg * v),
                           level(y + 2 * (1 - kb) * u)};
            for (int c = 0; c < 3; c++)
                assert_in_range(rgb[c] + 1 - want[c], 0, 2);
            sac_yuv_write(out, in, SAC_PIXEL_RGB, &yuv, scratch);
            double luma = kr * in[0] + kg * in[1] + kb * in[2];
            int back[3] = {level(luma / sy + (full ? 0 : 16)),
                           level((in[2] - luma) / (2 * (1 - kb)) / sc + 128),
                           level((in[0] - luma) / (2 * (1 - kr)) / sc + 128)};
            for (int c = 0; c < 3; c++)
                assert_in_range(out[c] + 1 - back[c], 0, 2);
        }
    }
}

/* No gray gets a color, and black and white stay, whatever the matrix, chroma and size. */
static void color_gray_stays_gray(void **state)
{
    (void)state;
    for (size_t c = 0; c < 6; c++) {
        for (int k = 0; k < 4; k++) {
            sac_video_info info = info_of(5, 3, SAC_PIXEL_BGR);
            info.chroma = chromas[c].chroma;
            info.matrix = k & 1 ? SAC_MATRIX_BT601 : SAC_MATRIX_BT709;
            info.full_range = k & 2;
            sac_yuv yuv = sac_yuv_of(&info);
            uint8_t *planes = malloc(sac_yuv_bytes(&yuv));
            void *scratch = malloc(sac_yuv_scratch(&yuv));
            for (int v = 0; v < 256; v++) {
                uint8_t in[45], out[45];
                memset(in, v, sizeof in);
                sac_yuv_write(planes, in, SAC_PIXEL_BGR, &yuv, scratch);
                sac_yuv_read(out, SAC_PIXEL_BGR, planes, &yuv, scratch);
                for (int i = 0; i < 45; i++) {
                    assert_int_equal(out[i], out[0]);
                    assert_in_range(out[i] + 1 - v, 0, info.full_range ? 1 : 2);
                }
                if (v == 0 || v == 255)
                    assert_int_equal(out[0], v);
            }
            free(planes);
            free(scratch);
        }
    }
}

/* Chroma of 4 x 2 pixels from two columns of samples, by hand. */
static void color_siting_interpolates_where_samples_lie(void **state)
{
    (void)state;
    static const struct {
        sac_video_chroma chroma;
        uint8_t want[4];
    } cases[] = {{SAC_CHROMA_420JPEG, {128, 138, 158, 168}}, /* 1/4, 3/4 between */
                 {SAC_CHROMA_420MPEG2, {128, 148, 168, 168}},
                 {SAC_CHROMA_420PALDV, {128, 148, 168, 168}},
                 {SAC_CHROMA_422, {128, 148, 168, 168}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_video_info info = info_of(4, 2, SAC_PIXEL_RGB);
        info.chroma = cases[i].chroma;
        info.full_range = true;
        sac_yuv yuv = sac_yuv_of(&info);
        uint8_t planes[24], rgb[24], scratch[64];
        memset(planes, 128, sizeof planes);
        uint8_t *cr = planes + 8 + 2 * (yuv.ch == 2 ? 2 : 1);
        cr[1] = cr[3] = 168; /* the second column of two rows, where there are two */
        sac_yuv_read(rgb, SAC_PIXEL_RGB, planes, &yuv, scratch);
        for (int x = 0; x < 8; x++)
            assert_int_equal(rgb[3 * x],
                             (8192 * 128 + 11485 * (cases[i].want[x % 4] - 128) + 4096) >> 13);
    }
}

/* Writes frames, reads them as `info` says they come back; the first of them stays in `out`. */
static void there_and_back(const char *path, const sac_video_info *info,
                           const sac_video_info *wanted, const uint8_t *in, uint8_t *out, int n)
{
    sac_error err = {0};
    sac_video_writer *writer;
    sac_video_reader *reader;
    size_t size = (size_t)(info->w * info->h * sac_video_channels(info->pixel));
    assert_ok(sac_video_writer_open(&writer, path, info, &err), &err);
    for (int i = 0; i < n; i++) {
        sac_array frame = frame_of(info, (void *)(uintptr_t)(in + (size_t)i * size));
        assert_ok(sac_video_write(writer, &frame, &err), &err);
    }
    assert_ok(sac_video_writer_close(&writer, &err), &err);
    assert_ok(sac_video_reader_open(&reader, path, wanted, &err), &err);
    sac_video_info came = info_of_video(reader);
    assert_int_equal(came.w, info->w);
    assert_int_equal(came.h, info->h);
    assert_int_equal(came.pixel, wanted ? wanted->pixel : info->pixel);
    sac_array frame = frame_of(&came, out);
    for (int i = 0; i < n; i++) {
        frame.data = out + (size_t)i * size;
        assert_ok(sac_video_read(reader, &frame, &err), &err);
    }
    assert_int_equal(sac_video_read(reader, &frame, &err), SAC_END);
    assert_int_equal(sac_video_read(reader, &frame, &err), SAC_END);
    sac_video_reader_close(&reader);
}

static void raw_every_pixel_comes_back(void **state)
{
    (void)state;
    for (int p = SAC_PIXEL_GRAY; p <= SAC_PIXEL_BGRX; p++) {
        sac_video_info info = info_of(7, 5, (sac_video_pixel)p);
        uint8_t in[3 * 140], out[3 * 140];
        fill(in, sizeof in, 1);
        there_and_back("a.raw", &info, &info, in, out, 3);
        assert_memory_equal(in, out, (size_t)(3 * 35 * sac_video_channels(info.pixel)));
    }
}

static void pictures_every_name_comes_back(void **state)
{
    (void)state;
    static const char *const paths[] = {"a-%03d.ppm", "%d.ppm", "folder/", "x.ppm"};
    for (size_t i = 0; i < 4; i++) {
        sac_video_info info = info_of(7, 5, SAC_PIXEL_RGB);
        uint8_t in[12 * 105], out[12 * 105];
        fill(in, sizeof in, 2);
        there_and_back(paths[i], &info, NULL, in, out, i < 3 ? 12 : 1);
        assert_memory_equal(in, out, i < 3 ? sizeof in : 105);
    }
    assert_int_equal(access("a-011.ppm", F_OK), 0);
    assert_int_equal(access("folder/frame-000011.ppm", F_OK), 0);
    for (int i = 0; i < 12; i++) {
        char name[64];
        snprintf(name, sizeof name, "folder/frame-%06d.ppm", i);
        assert_int_equal(unlink(name), 0);
    }
}

static void y4m_every_chroma_comes_back(void **state)
{
    (void)state;
    for (size_t c = 0; c < 6; c++) {
        for (int odd = 0; odd < 2; odd++) {
            bool mono = chromas[c].chroma == SAC_CHROMA_MONO;
            sac_video_info info = info_of(16 + odd, 8 + odd, mono ? SAC_PIXEL_GRAY : SAC_PIXEL_RGB);
            info.chroma = chromas[c].chroma;
            info.full_range = true;
            info.rate_num = 30000;
            info.rate_den = 1001;
            uint8_t in[2 * 17 * 9 * 3], out[2 * 17 * 9 * 3];
            memset(out, 0, sizeof out);
            memset(in, 0, sizeof in);
            for (int64_t i = 0; i < 2 * info.w * info.h; i++) { /* smooth in x and y */
                int64_t x = i % info.w, y = i / info.w % info.h;
                int n = mono ? 1 : 3;
                in[n * i] = (uint8_t)(40 + 4 * x);
                in[n * i + n - 1] = (uint8_t)(90 + 6 * y);
            }
            there_and_back("a.y4m", &info, NULL, in, out, 2);
            int bound = mono ? 0 : chromas[c].chroma == SAC_CHROMA_444 ? 2 : 9;
            for (size_t i = 0; i < sizeof in; i++)
                assert_in_range(in[i] + bound - out[i], 0, 2 * bound);
        }
    }
}

static void y4m_header_of_the_writer_says_it_all(void **state)
{
    (void)state;
    sac_video_info info = info_of(3, 2, SAC_PIXEL_RGB), came = {0};
    info.rate_num = 30000;
    info.rate_den = 1001;
    info.aspect_num = 16;
    info.aspect_den = 15;
    info.chroma = SAC_CHROMA_420MPEG2;
    char line[SAC_Y4M_LINE];
    size_t length = sac_y4m_header(line, &info);
    assert_string_equal(line, "YUV4MPEG2 W3 H2 F30000:1001 Ip A16:15 C420mpeg2 "
                              "XCOLORRANGE=LIMITED\n");
    line[length - 1] = '\0';
    sac_error err;
    assert_ok(sac_y4m_parse_header(&came, line, "x", &err), &err);
    assert_int_equal(came.rate_num, 30000);
    assert_int_equal(came.aspect_den, 15);
    assert_int_equal(came.chroma, SAC_CHROMA_420MPEG2);
}

/* Smooth pictures come back through planes of half the size; the two forms hold the same bytes. */
static void raw_planes_come_back(void **state)
{
    (void)state;
    static const char *const paths[] = {"a.nv12", "a.i420", "a.yuv"};
    for (int odd = 0; odd < 2; odd++) {
        sac_video_info info = info_of(16 + odd, 8 + odd, SAC_PIXEL_RGB);
        uint8_t in[2 * 17 * 9 * 3], out[2 * 17 * 9 * 3];
        for (int64_t i = 0; i < 2 * info.w * info.h; i++) {
            int64_t x = i % info.w, y = i / info.w % info.h;
            in[3 * i] = (uint8_t)(40 + 4 * x);
            in[3 * i + 1] = 120;
            in[3 * i + 2] = (uint8_t)(90 + 6 * y);
        }
        size_t frame = (size_t)(info.w * info.h + 2 * ((info.w + 1) / 2) * ((info.h + 1) / 2));
        uint8_t *files[3];
        for (int k = 0; k < 3; k++) {
            size_t size;
            memset(out, 0, sizeof out);
            there_and_back(paths[k], &info, &info, in, out, 2);
            for (int64_t i = 0; i < 6 * info.w * info.h; i++)
                assert_in_range(in[i] + 12 - out[i], 0, 24);
            files[k] = get_file(paths[k], &size);
            assert_int_equal(size, 2 * frame);
        }
        size_t luma = (size_t)(info.w * info.h), n = (frame - luma) / 2;
        assert_memory_equal(files[1], files[2], 2 * frame);
        assert_memory_equal(files[0], files[1], luma);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(files[0][luma + 2 * i], files[1][luma + i]);
            assert_int_equal(files[0][luma + 2 * i + 1], files[1][luma + n + i]);
        }
        for (int k = 0; k < 3; k++)
            free(files[k]);
    }
}

/* NV12 is what Y4M of the same samples is, by its name or by `planes`, and never taken for RGB. */
static void raw_nv12_is_read_as_y4m_is(void **state)
{
    (void)state;
    static const char y4m[] = "YUV4MPEG2 W4 H2 C420mpeg2\nFRAME\nabcdefghKMLN";
    sac_error err = {0};
    sac_video_reader *reader;
    uint8_t want[24], got[24];
    sac_video_info info = info_of(4, 2, SAC_PIXEL_RGB);
    put_file("a.y4m", y4m, sizeof y4m - 1);
    put_file("a.nv12", "abcdefghKLMN", 12);
    put_file("a.raw", "abcdefghKLMN", 12);
    put_file("a.nv21", "abcdefghLKNM", 12);
    for (int k = 0; k < 3; k++) {
        sac_video_info wanted = info;
        wanted.planes = k == 2 ? SAC_PLANES_NV12 : SAC_PLANES_AUTO;
        assert_ok(sac_video_reader_open(&reader,
                                        k == 0   ? "a.y4m"
                                        : k == 1 ? "a.nv12"
                                                 : "a.raw",
                                        k ? &wanted : NULL, &err),
                  &err);
        sac_array frame = frame_of(&info, k ? got : want);
        assert_ok(sac_video_read(reader, &frame, &err), &err);
        assert_int_equal(sac_video_read(reader, &frame, &err), SAC_END);
        sac_video_reader_close(&reader);
        if (k)
            assert_memory_equal(got, want, sizeof want);
    }
    assert_failed(sac_video_reader_open(&reader, "a.nv21", &info, &err), SAC_E_UNSUPPORTED, &err,
                  "raw frames of nv21 cannot be read");
    info.planes = (sac_video_planes)9;
    assert_failed(sac_video_reader_open(&reader, "a.raw", &info, &err), SAC_E_INVALID, &err,
                  "planes");
}

/* A file holds what its name says, not what the frames in memory happen to be. */
static void raw_name_decides_what_is_stored(void **state)
{
    (void)state;
    static const struct {
        const char *path, *bytes;
        size_t size;
    } cases[] = {{"a.raw", "abcdef", 6},
                 {"a.rgb", "abcdef", 6},
                 {"a.bgr", "cbafed", 6},
                 {"a.bgrx",
                  "cba\xff"
                  "fed\xff",
                  8},
                 {"a.rgba",
                  "abc\xff"
                  "def\xff",
                  8},
                 {"a.gray", "be", 2}};
    sac_video_info info = info_of(2, 1, SAC_PIXEL_RGB);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_error err = {0};
        sac_video_writer *writer;
        size_t size;
        uint8_t pixels[] = "abcdef";
        sac_array frame = frame_of(&info, pixels);
        assert_ok(sac_video_writer_open(&writer, cases[i].path, &info, &err), &err);
        assert_ok(sac_video_write(writer, &frame, &err), &err);
        assert_ok(sac_video_writer_close(&writer, &err), &err);
        uint8_t *data = get_file(cases[i].path, &size);
        assert_int_equal(size, cases[i].size);
        assert_memory_equal(data, cases[i].bytes, size);
        free(data);
    }
}

static void pictures_without_their_alpha_are_said(void **state)
{
    (void)state;
    sac_error err = {0};
    sac_video_reader *reader;
    put_file(
        "p0.pam", "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\nabcd",
        strlen("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\nabcd"));
    put_file("q0.pgm", "P5 1 1 255 x", 12);
    assert_ok(sac_video_reader_open(&reader, "p%d.pam", NULL, &err), &err);
    assert_string_equal(sac_video_reader_get_note(reader),
                        "`p0.pam`: its alpha channel is left out");
    sac_video_reader_close(&reader);
    assert_ok(sac_video_reader_open(&reader, "q%d.pgm", NULL, &err), &err);
    assert_string_equal(sac_video_reader_get_note(reader), "");
    sac_video_reader_close(&reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(color_every_matrix_follows_its_standard),
        cmocka_unit_test(color_gray_stays_gray),
        cmocka_unit_test(color_siting_interpolates_where_samples_lie),
        cmocka_unit_test_setup(raw_every_pixel_comes_back, empty_folder),
        cmocka_unit_test_setup(pictures_every_name_comes_back, empty_folder),
        cmocka_unit_test_setup(y4m_every_chroma_comes_back, empty_folder),
        cmocka_unit_test(y4m_header_of_the_writer_says_it_all),
        cmocka_unit_test_setup(raw_planes_come_back, empty_folder),
        cmocka_unit_test_setup(raw_nv12_is_read_as_y4m_is, empty_folder),
        cmocka_unit_test_setup(raw_name_decides_what_is_stored, empty_folder),
        cmocka_unit_test_setup(pictures_without_their_alpha_are_said, empty_folder),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
