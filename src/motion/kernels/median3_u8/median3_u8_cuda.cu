/*
 * median3_u8 on a GPU: three samples are sorted along each row; the median of nine is that of the
 * largest of the smallest, the median of the middle ones, and the smallest of the largest.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion/kernels/filters.cuh"

/* In order, of two samples. */
typedef struct three {
    uint32_t low, mid, high;
} three;

/* The one in the middle is what the others leave. */
__device__ static three sorted(uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t low = __vimin3_u16x2(a, b, c), high = __vimax3_u16x2(a, b, c);
    return {low, a ^ b ^ c ^ low ^ high, high};
}

struct median3 {
    enum { RADIUS = 1 };
    typedef struct line {
        three v[2];
    } line;

    __device__ static line make(const uint32_t *at, int step)
    {
        line l;
#pragma unroll
        for (int half = 0; half < 2; half++)
            l.v[half] = sorted(sac_upper(at, -step, half), sac_upper(at, 0, half),
                               sac_upper(at, step, half));
        return l;
    }

    __device__ static uint32_t join(const line *l)
    {
        uint32_t median[2];
#pragma unroll
        for (int k = 0; k < 2; k++) {
            const three a = l[0].v[k], b = l[1].v[k], c = l[2].v[k];
            median[k] = sorted(__vimax3_u16x2(a.low, b.low, c.low), sorted(a.mid, b.mid, c.mid).mid,
                               __vimin3_u16x2(a.high, b.high, c.high))
                            .mid;
        }
        return sac_word_of_upper(median[0], median[1]);
    }
};

static sac_status run(sac_gpu_stream stream, const sac_gpu_shape *shape, const sac_samples *outs,
                      const sac_samples *ins, int32_t n, const sac_filter *f)
{
    (void)shape; /* a block a part */
    (void)f;
    return sac_filter_launch(stream, outs, ins, n, sac_lines<median3>());
}

extern "C" const sac_variant sac_median3_u8_cuda[] = {
    {"parts", 0, true, SAC_FN(sac_filter_u8_cuda_fn, run)},
    {NULL, 0, false, NULL},
};
