/*
 * mean_u8 on a GPU: sums along rows, then down.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion/kernels/filters.cuh"

template <int R> struct mean {
    enum { RADIUS = R, N = (2 * R + 1) * (2 * R + 1) };
    typedef sac_halves line;

    __device__ static line make(const uint32_t *at, int step)
    {
        line sum = sac_halves_of(*at);
#pragma unroll
        for (int i = 1; i <= R; i++) {
            const sac_halves a = sac_halves_of(sac_before(at, i * step));
            const sac_halves b = sac_halves_of(sac_behind(at, i * step));
            sum.v[0] += a.v[0] + b.v[0];
            sum.v[1] += a.v[1] + b.v[1];
        }
        return sum;
    }

    /* (sum + (N - 1) / 2) / N, sum <= 255 N, by a product that is exact for as much. */
    __device__ static uint32_t divided(uint32_t sum)
    {
        return (sum + (N - 1) / 2) * (((1u << 20) + N - 1) / N) >> 20;
    }

    __device__ static uint32_t join(const line *l)
    {
        sac_halves mean;
#pragma unroll
        for (int k = 0; k < 2; k++) {
            uint32_t sum = 0;
#pragma unroll
            for (int i = 0; i <= 2 * R; i++)
                sum += l[i].v[k];
            mean.v[k] = divided(sum & 0xffff) | divided(sum >> 16) << 16;
        }
        return sac_word_of(mean);
    }
};

static sac_status run(sac_gpu_stream stream, const sac_gpu_shape *shape, const sac_samples *outs,
                      const sac_samples *ins, int32_t n, const sac_filter *f)
{
    (void)shape; /* a block a part */
    return f->size == 3 ? sac_filter_launch(stream, outs, ins, n, sac_lines<mean<1>>())
                        : sac_filter_launch(stream, outs, ins, n, sac_lines<mean<2>>());
}

extern "C" const sac_variant sac_mean_u8_cuda[] = {
    {"parts", 0, true, SAC_FN(sac_filter_u8_cuda_fn, run)},
    {NULL, 0, false, NULL},
};
