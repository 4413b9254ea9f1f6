/*
 * Instructions on words, against their definitions bit by bit: on a GPU, and in tests/emulate.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "room/check.h"
#include "skip.h"
#include "words.h"

enum { N = 20000 };

static const char *const names[N_WORDS] = {
    "__vabsdiffu4", "__vminu2", "__vmaxu2",        "__vimin3_u16x2",   "__vimax3_u16x2",
    "__vcmpgeu4",   "__vadd4",  "__vsub4",         "__vminu4",         "__vmaxu4",
    "__byte_perm",  "__dp4a",   "__funnelshift_r", "__funnelshift_rc", "__popc",
    "__clz",        "__ffs",    "__float2half_rn", "__half2float"};

static void must(sac_status status, const char *what)
{
    if (status == SAC_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, sac_status_name(status));
    exit(1);
}

/* Bit k of two words. */
static uint32_t bit(uint32_t low, uint32_t high, uint32_t k)
{
    return k < 32 ? low >> k & 1 : k < 64 ? high >> (k - 32) & 1 : 0;
}

static uint32_t shifted(uint32_t low, uint32_t high, uint32_t by)
{
    uint32_t v = 0;
    for (uint32_t k = 0; k < 32; k++)
        v |= bit(low, high, k + by) << k;
    return v;
}

static uint32_t byte_of(uint32_t v, int i)
{
    return v / (UINT32_C(1) << 8 * i) % 256;
}

static void define_bytes(uint32_t *word, uint32_t a, uint32_t b, uint32_t c)
{
    word[WORDS_ABSDIFF4] = word[WORDS_GE4] = word[WORDS_PERMUTE] = 0;
    word[WORDS_ADD4] = word[WORDS_SUB4] = word[WORDS_MIN4] = word[WORDS_MAX4] = 0;
    word[WORDS_DOT] = c;
    for (int i = 0; i < 4; i++) {
        const int x = (int)byte_of(a, i), y = (int)byte_of(b, i);
        const int which = (int)(c >> 4 * i) & 7; /* the fourth bit says nothing */
        word[WORDS_ABSDIFF4] += (uint32_t)abs(x - y) << 8 * i;
        word[WORDS_GE4] += (x >= y ? 255u : 0) << 8 * i;
        word[WORDS_ADD4] += (uint32_t)((x + y) % 256) << 8 * i;
        word[WORDS_SUB4] += (uint32_t)((256 + x - y) % 256) << 8 * i;
        word[WORDS_MIN4] += (uint32_t)(x < y ? x : y) << 8 * i;
        word[WORDS_MAX4] += (uint32_t)(x < y ? y : x) << 8 * i;
        word[WORDS_PERMUTE] += byte_of(which < 4 ? a : b, which % 4) << 8 * i;
        word[WORDS_DOT] += (uint32_t)(x * y);
    }
}

static void define_halves(uint32_t *word, uint32_t a, uint32_t b, uint32_t c)
{
    word[WORDS_MIN2] = word[WORDS_MAX2] = word[WORDS_LEAST3] = word[WORDS_MOST3] = 0;
    for (int i = 0; i < 32; i += 16) {
        const uint32_t x = a >> i & 0xffff, y = b >> i & 0xffff, z = c >> i & 0xffff;
        const uint32_t least = x < y ? x : y, most = x < y ? y : x;
        word[WORDS_MIN2] |= least << i;
        word[WORDS_MAX2] |= most << i;
        word[WORDS_LEAST3] |= (least < z ? least : z) << i;
        word[WORDS_MOST3] |= (most > z ? most : z) << i;
    }
}

static void define_bits(uint32_t *word, uint32_t a, uint32_t b, uint32_t c)
{
    word[WORDS_SHIFT] = shifted(a, b, c % 32);
    word[WORDS_SHIFT_UP_TO_32] = shifted(a, b, c < 32 ? c : 32);
    word[WORDS_BITS] = word[WORDS_FIRST] = 0;
    word[WORDS_ZEROS] = 32;
    for (uint32_t k = 0; k < 32; k++) {
        word[WORDS_BITS] += bit(a, 0, k);
        if (bit(a, 0, k))
            word[WORDS_ZEROS] = 31 - k;
        if (bit(a, 0, 31 - k))
            word[WORDS_FIRST] = 32 - k;
    }
}

/* A half that is neither negative nor NaN, by IEEE 754. Infinity is 65,536, to which numbers round
 * as to any other. */
static double half(uint32_t bits)
{
    const int exponent = (int)(bits >> 10);
    return exponent ? ldexp(1024 + bits % 1024, exponent - 25) : ldexp(bits, -24);
}

static void define_fp16(uint32_t *word, uint32_t a, uint32_t b)
{
    float of, out;
    memcpy(&of, &a, sizeof of);
    const double v = fabs((double)of);
    uint32_t low = 0, high = 0x7c00; /* infinity */
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        *(half(middle) <= v ? &low : &high) = middle;
    }
    const double down = v - half(low), up = half(high) - v; /* a tie is the even one's */
    const uint32_t nearest = up < down || (!(up > down) && low % 2) ? high : low;
    word[WORDS_TO_HALF] = isnan(of) ? WORDS_NAN : nearest | (a >> 31 << 15);
    const uint32_t size = b & 0x7fff;
    out = size == 0x7c00 ? INFINITY : (float)half(size);
    out = b & 0x8000 ? -out : out;
    memcpy(&word[WORDS_OF_HALF], &out, sizeof out);
    if (size > 0x7c00)
        word[WORDS_OF_HALF] = WORDS_NAN;
}

/* Random words, and those of floats that may lie halfway between two halves; words of bytes that
 * are 0, 1, 127, 128, 254, 255; small ones. */
static uint32_t draw(uint64_t *state)
{
    static const uint8_t edges[] = {0, 1, 127, 128, 254, 255};
    const uint64_t r = sac_check_random(state);
    uint32_t v = 0;
    for (int i = 0; i < 4; i++)
        v = v << 8 | edges[(r >> 8 * i & 255) % 6];
    const uint32_t any = (uint32_t)(r >> 16),
                   kinds[] = {v, (uint32_t)(r >> 32) % 70, any & ~0xfffu, any};
    return kinds[r >> 62];
}

static int64_t compare(const uint32_t *got, const uint32_t *threes)
{
    int64_t n_faults = 0;
    for (int32_t i = 0; i < N; i++) {
        const uint32_t *of = threes + 3 * i;
        uint32_t want[N_WORDS];
        define_bytes(want, of[0], of[1], of[2]);
        define_halves(want, of[0], of[1], of[2]);
        define_bits(want, of[0], of[1], of[2]);
        define_fp16(want, of[0], of[1]);
        for (int k = 0; k < N_WORDS; k++)
            if (got[i * N_WORDS + k] != want[k] && n_faults++ < 20)
                fprintf(stderr, "%s of %08x %08x %08x: wanted %08x, got %08x\n", names[k], of[0],
                        of[1], of[2], want[k], got[i * N_WORDS + k]);
    }
    return n_faults;
}

int main(void)
{
    static uint32_t threes[3 * N], got[N * N_WORDS];
    void *in = NULL, *out = NULL;
    sac_gpu *gpu = NULL;
    uint64_t state = 1;
    if (sac_gpu_open(&gpu, 0, NULL) != SAC_OK)
        return skip_all("no GPU, or a build without CUDA");
    for (int32_t i = 0; i < 3 * N; i++)
        threes[i] = draw(&state);
    must(sac_gpu_alloc(gpu, &in, sizeof threes, NULL), "memory");
    must(sac_gpu_alloc(gpu, &out, sizeof got, NULL), "memory");
    must(sac_gpu_enter(gpu), "enter");
    const sac_gpu_stream stream = sac_gpu_main_stream(gpu);
    must(sac_gpu_copy(in, threes, sizeof threes, stream), "copy");
    must(words_launch(stream, out, in, N), "launch");
    must(sac_gpu_copy(got, out, sizeof got, stream), "copy");
    must(sac_gpu_wait(stream), "wait");
    sac_gpu_leave(gpu);
    sac_gpu_free(gpu, in);
    sac_gpu_free(gpu, out);
    sac_gpu_close(&gpu);
    const int64_t n_faults = compare(got, threes);
    printf("%d instructions on %d words, %lld faults\n", N_WORDS, N, (long long)n_faults);
    return n_faults > 0;
}
