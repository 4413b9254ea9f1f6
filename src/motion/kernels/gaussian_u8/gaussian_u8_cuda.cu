/*
 * gaussian_u8 on a GPU: weighted sums along rows, which fit in 16 bits, then down.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion/kernels/filters.cuh"

template <int R> struct gaussian {
    enum { RADIUS = R };
    typedef sac_halves line;

    uint32_t weight[R + 1]; /* weight[0] + 2 weight[1] + .. = 256 */

    __device__ line make(const uint32_t *at, int step) const
    {
        line sum = sac_halves_of(*at);
        sum.v[0] *= weight[0];
        sum.v[1] *= weight[0];
#pragma unroll
        for (int i = 1; i <= R; i++) {
            const sac_halves a = sac_halves_of(sac_before(at, i * step));
            const sac_halves b = sac_halves_of(sac_behind(at, i * step));
            sum.v[0] += (a.v[0] + b.v[0]) * weight[i];
            sum.v[1] += (a.v[1] + b.v[1]) * weight[i];
        }
        return sum;
    }

    /* Of half k's sums, those shifted down by `shift`. */
    __device__ uint32_t down(const line *l, int k, int shift) const
    {
        uint32_t sum = (l[R].v[k] >> shift & 0xffff) * weight[0] + (1u << 15);
#pragma unroll
        for (int i = 1; i <= R; i++)
            sum +=
                ((l[R - i].v[k] >> shift & 0xffff) + (l[R + i].v[k] >> shift & 0xffff)) * weight[i];
        return sum >> 16;
    }

    __device__ uint32_t join(const line *l) const
    {
        return down(l, 0, 0) | down(l, 1, 0) << 8 | down(l, 0, 16) << 16 | down(l, 1, 16) << 24;
    }
};

static sac_status run(sac_gpu_stream stream, const sac_gpu_shape *shape, const sac_samples *outs,
                      const sac_samples *ins, int32_t n, const sac_filter *f)
{
    (void)shape; /* a block a part */
    const uint32_t w0 = (uint32_t)f->weight[0], w1 = (uint32_t)f->weight[1];
    const sac_lines<gaussian<1>> small = {{{w0, w1}}};
    const sac_lines<gaussian<2>> large = {{{w0, w1, (uint32_t)f->weight[2]}}};
    return f->size == 3 ? sac_filter_launch(stream, outs, ins, n, small)
                        : sac_filter_launch(stream, outs, ins, n, large);
}

extern "C" const sac_variant sac_gaussian_u8_cuda[] = {
    {"parts", 0, true, SAC_FN(sac_filter_u8_cuda_fn, run)},
    {NULL, 0, false, NULL},
};
