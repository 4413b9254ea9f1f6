/*
 * delta_damage [PACKETS]: so many damaged packets (300000) into the decoder. What noise on a line
 * does is refused, and changes nothing; what is damaged and then sealed with a right checksum does
 * not crash it, does not make it allocate beyond its limit, and is over with a keyframe.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "counts.h"
#include "delta_scene.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "delta/format.h"

enum { N = 16, KEY_EVERY = 2, MAX_PACKET = 1 << 16, MAX_PIXELS = 192 * 64 };
enum { LINE_PER_FRAME = 4 }; /* and one that is sealed */

typedef struct stream {
    int64_t w, h;
    int32_t channels, threshold;
    bool fast;
    uint8_t *frames; /* N of them */
    uint8_t *packets[N];
    size_t sizes[N];
} stream;

static stream streams[] = {
    {.w = 70, .h = 20, .channels = 3, .threshold = 20},
    {.w = 130, .h = 50, .channels = 3, .threshold = 20},
    {.w = 65, .h = 33, .channels = 4, .threshold = 0},
    {.w = 64, .h = 40, .channels = 3, .threshold = 5, .fast = true},
    {.w = 33, .h = 17, .channels = 1, .threshold = 0, .fast = true},
    {.w = 1, .h = 1, .channels = 1, .threshold = 254},
    {.w = 20, .h = 12, .channels = 3, .threshold = 1}, /* nothing of it is in any other packet */
};
enum { N_STREAMS = sizeof streams / sizeof *streams, SPARE = N_STREAMS - 1 };

static uint64_t wanted = 300000, seed = 2026;
static size_t allocated; /* bytes, since it was set to 0 */

static bool count_bytes(size_t bytes)
{
    allocated += bytes;
    return true;
}

static uint64_t below(uint64_t n)
{
    return (random_next(&seed) >> 11) % n;
}

static size_t frame_bytes(const stream *s)
{
    return (size_t)(s->w * s->h * s->channels);
}

static void record(stream *s)
{
    sac_delta_encode_desc desc = encode_desc(s->w, s->h, s->channels, s->threshold);
    sac_delta_encode *encoder = NULL;
    sac_error err = {0};
    desc.fast = s->fast;
    desc.key_interval_s = 0;
    desc.scene_change = false;
    if (sac_delta_encode_open(&encoder, &desc, &err) == SAC_E_UNSUPPORTED) {
        desc.fast = s->fast = false; /* a build without lz4 */
        encoder = open_encoder(&desc);
    }
    s->frames = malloc(N * frame_bytes(s));
    for (uint64_t i = 0; i < N; i++) {
        uint8_t *frame = s->frames + i * frame_bytes(s);
        draw(frame, i % 4 == 3 ? MOVING : STILL_NOISY, s->w, s->h, s->channels, i);
        if (i % KEY_EVERY == 0)
            sac_delta_encode_key(encoder);
        sac_delta_packet p = encode(encoder, frame, s->w, s->h, s->channels, i);
        assert_true(p.size <= MAX_PACKET / 2);
        s->packets[i] = malloc(p.size);
        s->sizes[i] = p.size;
        memcpy(s->packets[i], p.data, p.size);
    }
    sac_delta_encode_close(&encoder);
}

static sac_delta_decode *open_limited(uint64_t max_pixels)
{
    sac_delta_decode *decoder = NULL;
    sac_delta_decode_desc desc;
    sac_error err = {0};
    sac_delta_decode_desc_init(&desc);
    desc.n_threads = 1;
    desc.max_pixels = max_pixels;
    assert_ok(sac_delta_decode_open(&decoder, &desc, &err), &err);
    return decoder;
}

static size_t limit_of(uint64_t pixels)
{
    return (size_t)(14 * pixels + (UINT64_C(32) << 20));
}

/* Decodes; whatever the packet is, the answer is of one piece and memory within its limit. */
static sac_status give(sac_delta_decode *decoder, sac_delta_frame *frame, const uint8_t *packet,
                       size_t size)
{
    uint8_t *exact = malloc(size ? size : 1); /* so that sanitizers see what is read beyond it */
    memcpy(exact, packet, size);
    allocated = 0;
    sac_status status = sac_delta_decode_run(decoder, frame, exact, size, NULL);
    assert_true(status == SAC_OK || status == SAC_AGAIN || status == SAC_E_FORMAT);
    assert_int_equal(frame->picture.data != NULL, status == SAC_OK);
    assert_true(allocated <= limit_of(MAX_PIXELS));
    assert_true(allocated == 0 || (size > 5 && (exact[5] & SAC_DELTA_FLAG_KEY)));
    free(exact);
    return status;
}

/* A packet as it was sent. Returns whether its picture came out, which is right then. */
static bool give_genuine(sac_delta_decode *decoder, const stream *s, uint64_t i)
{
    sac_delta_frame frame;
    uint64_t late = counts_of_delta(decoder).late;
    sac_status status = give(decoder, &frame, s->packets[i], s->sizes[i]);
    if (status != SAC_OK) {
        assert_int_equal(status, SAC_AGAIN);
        assert_true(frame.wants_key || counts_of_delta(decoder).late > late);
        return false;
    }
    const uint8_t *sent = s->frames + i * frame_bytes(s);
    assert_int_equal(frame.frame, i);
    assert_false(frame.wants_key);
    assert_int_equal(frame.threshold, s->threshold);
    assert_true(worst_of(&frame.picture, sent, s->w, s->h, s->channels) <= s->threshold);
    return true;
}

static const stream *any_stream(uint64_t *i)
{
    *i = below(N);
    return &streams[below(SPARE)];
}

/* Bytes of no packet. */
static size_t put_noise(uint8_t *to)
{
    size_t size = (size_t)below(300);
    for (size_t k = 0; k < size; k++)
        to[k] = (uint8_t)below(256);
    if (size > 8 && below(2)) {
        sac_delta_put32(to, SAC_DELTA_MAGIC);
        to[4] = (uint8_t)(1 + below(SAC_DELTA_VERSION));
    }
    return size;
}

/* The first part of a packet, and the last of another. */
static size_t splice(uint8_t *to, size_t size)
{
    uint64_t i;
    const stream *s = any_stream(&i);
    size_t head = (size_t)below(size), tail = (size_t)below(s->sizes[i]);
    memcpy(to + head, s->packets[i] + s->sizes[i] - tail, tail);
    return head + tail;
}

static void put_foreign_header(uint8_t *to, size_t size)
{
    uint64_t i;
    const stream *s = any_stream(&i);
    memcpy(to, s->packets[i], SAC_DELTA_HEADER);
    if (below(2))
        sac_delta_put32(to + 8, (uint32_t)size);
}

static void overwrite(uint8_t *to, size_t size)
{
    size_t at = (size_t)below(size), n = (size_t)(1 + below(16));
    for (; n > 0 && at < size; n--)
        to[at++] = (uint8_t)below(256);
}

static void flip(uint8_t *to, size_t size)
{
    for (uint64_t n = 1 + below(8); n > 0; n--)
        to[below(size)] ^= (uint8_t)(1 << below(8));
}

static bool is_genuine(const uint8_t *packet, size_t size)
{
    for (int s = 0; s < N_STREAMS; s++)
        for (int i = 0; i < N; i++)
            if (size == streams[s].sizes[i] && !memcmp(packet, streams[s].packets[i], size))
                return true;
    return false;
}

/* A damaged packet from one that was sent; returns its size. */
static size_t damage(uint8_t *to, const stream *s, uint64_t i)
{
    size_t size;
    do {
        size = s->sizes[i];
        memcpy(to, s->packets[i], size);
        switch (below(7)) {
        case 0:
            size = (size_t)below(size); /* cut short */
            break;
        case 1:
            overwrite(to + size, 16);
            size += (size_t)(1 + below(16));
            break;
        case 2:
            size = put_noise(to);
            break;
        case 3:
            size = splice(to, size);
            break;
        case 4:
            put_foreign_header(to, size);
            break;
        case 5:
            overwrite(to, size);
            break;
        default:
            flip(to, size);
        }
    } while (is_genuine(to, size));
    return size;
}

/* Makes it a packet on its outside, in the place of one that was sent. */
static void seal(uint8_t *packet, size_t size, const uint8_t *sent)
{
    if (size < SAC_DELTA_HEADER + SAC_DELTA_TAIL)
        return;
    sac_delta_put32(packet, SAC_DELTA_MAGIC);
    packet[4] = SAC_DELTA_VERSION;
    sac_delta_put32(packet + 8, (uint32_t)size);
    memset(packet + 19, 0, 5);
    memcpy(packet + 24, sent + 24, SAC_DELTA_HEADER - 24);
    sac_delta_put64(packet + size - 8, sac_delta_checksum(packet, size - 8));
}

/* A stream over a noisy line: all noise is refused, and every packet between it comes out. */
static uint64_t line_pass(sac_delta_decode *decoder, const stream *s)
{
    static uint8_t bad[MAX_PACKET];
    sac_delta_frame frame;
    for (uint64_t i = 0; i < N; i++) {
        for (int k = 0; k < LINE_PER_FRAME; k++) {
            size_t size = damage(bad, s, i);
            assert_int_equal(give(decoder, &frame, bad, size), SAC_E_FORMAT);
            assert_true(frame.wants_key);
        }
        assert_true(give_genuine(decoder, s, i));
    }
    return N * LINE_PER_FRAME;
}

/* A stream among packets that are made to break it; counts in status what came of them. */
static uint64_t sealed_pass(const stream *s, uint64_t status[3])
{
    static uint8_t bad[MAX_PACKET];
    sac_delta_decode *decoder = open_limited(MAX_PIXELS);
    for (uint64_t i = 0; i < N; i++) {
        sac_delta_frame frame;
        size_t size = damage(bad, s, i);
        seal(bad, size, s->packets[i]);
        sac_status came = give(decoder, &frame, bad, size);
        status[came == SAC_OK ? 0 : came == SAC_AGAIN ? 1 : 2]++;
        give_genuine(decoder, s, i);
    }
    assert_true(give_genuine(decoder, &streams[SPARE], 0));
    sac_delta_decode_close(&decoder);
    return N;
}

static void delta_damaged_packets_never_crash_mislead_or_allocate(void **state)
{
    (void)state;
    uint64_t n_line = 0, n_sealed = 0, status[3] = {0}, last = SPARE;
    sac_alloc_hook(count_bytes);
    sac_delta_decode *decoder = open_limited(MAX_PIXELS);
    while (n_line + n_sealed < wanted) {
        uint64_t s = below(SPARE);
        s = s == last ? (s + 1) % SPARE : s; /* a stream twice would be late */
        n_line += line_pass(decoder, &streams[last = s]);
        n_sealed += sealed_pass(&streams[s], status);
    }
    sac_delta_counts counts = counts_of_delta(decoder);
    assert_int_equal(counts.damaged + counts.foreign + counts.truncated, n_line);
    assert_int_equal(counts.frames, n_line / LINE_PER_FRAME);
    assert_true(status[0] > 0 && status[1] > 0 && status[2] > 0);
    sac_delta_decode_close(&decoder);
    sac_alloc_hook(NULL);
    printf("%" PRIu64 " damaged: refused, and %" PRIu64 " packets between them exact within T; "
           "%" PRIu64 " damaged and sealed: %" PRIu64 " decoded, %" PRIu64 " out of place, "
           "%" PRIu64 " refused\n",
           n_line, counts.frames, n_sealed, status[0], status[1], status[2]);
}

/* Keyframes that promise as much as headers can, and hold nothing. */
static void delta_decoder_allocates_no_more_than_it_says(void **state)
{
    (void)state;
    static const sac_delta_header headers[] = {
        {.w = 1, .h = 1, .band_rows = 16, .channels = 1},
        {.w = 1, .h = 1024, .band_rows = 16, .channels = 4}, /* 64 bands */
        {.w = 64, .h = 1024, .band_rows = 16, .channels = 3},
        {.w = 16384, .h = 512, .band_rows = 512, .channels = 4},
        {.w = 500, .h = 16384, .band_rows = 256, .channels = 4},
        {.w = 1000, .h = 1000, .band_rows = 64, .channels = 1},
    };
    uint8_t packet[SAC_DELTA_HEADER + SAC_DELTA_TAIL];
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        sac_delta_header h = headers[i];
        h.is_key = true;
        h.size = sizeof packet;
        sac_delta_header_put(packet, &h);
        sac_delta_put64(packet + SAC_DELTA_HEADER, sac_delta_checksum(packet, SAC_DELTA_HEADER));
        sac_delta_geometry g = sac_delta_geometry_of(h.w, h.h, h.channels, h.band_rows);
        uint64_t pixels = g.bytes / (size_t)h.channels;
        for (uint64_t less = 0; less < 2; less++) {
            sac_delta_frame frame;
            sac_alloc_hook(count_bytes);
            allocated = 0;
            sac_delta_decode *decoder = open_limited(pixels - less);
            size_t opened = allocated;
            assert_int_equal(sac_delta_decode_run(decoder, &frame, packet, sizeof packet, NULL),
                             SAC_E_FORMAT);
            assert_true(less ? allocated == opened : allocated > opened);
            assert_true(allocated <= limit_of(pixels));
            sac_delta_decode_close(&decoder);
            sac_alloc_hook(NULL);
        }
    }
}

static int set_up(void **state)
{
    (void)state;
    for (int i = 0; i < N_STREAMS; i++)
        record(&streams[i]);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < N_STREAMS; i++) {
        free(streams[i].frames);
        for (int k = 0; k < N; k++)
            free(streams[i].packets[k]);
    }
    return 0;
}

int main(int argc, char **argv)
{
    char *end = NULL;
    if (argc > 1)
        wanted = strtoull(argv[1], &end, 10);
    if (argc > 2 || (end && (*end || end == argv[1]))) {
        fprintf(stderr, "Usage: delta_damage [PACKETS]\n");
        return 2;
    }
    if (!has_delta())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delta_damaged_packets_never_crash_mislead_or_allocate),
        cmocka_unit_test(delta_decoder_allocates_no_more_than_it_says),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
