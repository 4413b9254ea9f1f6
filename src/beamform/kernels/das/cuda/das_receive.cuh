/*
 * What a point receives of an element on the fast way of `points`, in `frames` and `tensor`: its
 * delay, its weight and, for IQ, its rotation. A lane is a point.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_RECEIVE_CUH
#define SAC_BEAMFORM_DAS_RECEIVE_CUH

#include "beamform/kernels/das/cuda/das_lane.cuh"
#include "beamform/kernels/das/cuda/das_tapers.h"

/* 1.5 2^23: added to a float, its last bit is 1. */
#define SAC_DAS_ROUNDER 12582912.0f
#define SAC_DAS_ROUNDER_BITS 0x4b400000u

/* Distances in samples of which a float does not count quarters are left to double. */
#define SAC_DAS_LONG 2097152.0

/* |turns| <= 1/2 of those. */
__device__ static inline float sac_das_turns_of(float turns)
{
    return turns - ((turns + SAC_DAS_ROUNDER) - SAC_DAS_ROUNDER);
}

/* sac_das_window_at as a call, which takes no registers where it is not asked for. */
__device__ static __noinline__ float sac_das_window_called(const sac_das *das, int32_t r, double x,
                                                           double y, double z)
{
    const double m[3] = {x, y, z};
    return sac_das_window_at(das, r, m);
}

__device__ static inline float sac_das_window_exact(const sac_das_cuda *run,
                                                    const sac_das_lane &lane, int32_t r)
{
    return sac_das_window_called(&run->das, r, lane.at.m[0], lane.at.m[1], lane.at.m[2]);
}

/* The same of the point of that index, as a call. */
__device__ static __noinline__ float sac_das_window_anew(const sac_das_cuda *run, int64_t index,
                                                         int32_t r)
{
    double m[3];
    sac_das_point(m, &run->das, index);
    sac_das_receive_at(&m[0], &m[1], &run->das.line);
    return sac_das_window_at(&run->das, r, m);
}

/* A window's weight at u^2, its cosine by the special function units. */
__device__ static inline float sac_das_tapered(const sac_das_taper &taper, float u2)
{
    const float u = u2 * sac_rsqrt(fmaxf(u2, 1e-30f));
    float cosine, unused;
    sac_rotate(&cosine, &unused, 0.5f * fminf(fmaxf((u - taper.flat) * taper.slope, 0), 1));
    return fmaxf(fmaf(0.5f, cosine, 0.5f), SAC_DAS_LEAST);
}

/* Whether sac_das_tapered is as good as the rest. */
template <typename Real>
__host__ __device__ static inline bool sac_das_tapers(const sac_apodization *a)
{
    return sac_das_tapers_in(a, sizeof(Real) == sizeof(double));
}

/* Of element r of a linear array, where sac_das_tapers. */
template <typename Real>
__device__ static inline float sac_das_line_tapered(const sac_das_cuda *run,
                                                    const sac_das_lane &lane,
                                                    const sac_das_taper &taper, int32_t r)
{
    const float from_middle = lane.pf[0] - __ldg(&run->from_middle[4 * r]);
    float aside2 = fmaf(from_middle, from_middle, lane.aside2);
    if (sizeof(Real) == sizeof(double)) {
        const double x = lane.p[0] - run->place[4 * r];
        aside2 = (float)fma(x, x, lane.p[1] * lane.p[1]);
    }
    return sac_das_tapered(taper, aside2 * lane.open);
}

/*
 * How a point sees a plane of elements: u^2 of one so far aside is `open` times that squared. It is
 * in the aperture up to u^2 = sure; beyond `most` it is not; between these double precision
 * decides, as sac_das_weight_any has it.
 */
typedef struct sac_das_face {
    sac_das_taper taper;
    float open, sure, most;
} sac_das_face;

__device__ static inline sac_das_face sac_das_face_of(const sac_das_cuda *run,
                                                      const sac_das_lane &lane)
{
    const float depth = lane.pf[2], off = lane.aside2;
    const bool has_all = run->das.apodization.f_number <= 0, is_near = !has_all && depth < off;
    const float by = has_all || is_near ? 0 : sac_reciprocal(depth * depth);
    const float unsure = has_all ? 0 : (1 + lane.open) * fmaf(off * depth, by, 1e-6f);
    sac_das_face face = {sac_das_taper_of(&run->das.apodization), lane.open * by, 1 - unsure,
                         1 + unsure};
    if (is_near) {
        face.sure = -1;
        face.most = depth <= -off ? -1 : 1;
    }
    return face;
}

/* w(r, p) of a plane where sac_das_tapers; *is_unsure: it is not known. */
template <typename Real>
__device__ static inline float sac_das_face_weight(bool *is_unsure, const sac_das_cuda *run,
                                                   const sac_das_lane &lane,
                                                   const sac_das_face &face, int32_t r)
{
    const float4 e = __ldg((const float4 *)run->from_middle + r);
    const float xf = lane.pf[0] - e.x, yf = lane.pf[1] - e.z;
    float lateral2 = fmaf(xf, xf, yf * yf);
    if (sizeof(Real) == sizeof(double)) {
        const double x = lane.p[0] - run->place[4 * r], y = lane.p[1] - run->place[4 * r + 1];
        lateral2 = (float)fma(x, x, y * y);
    }
    const float u2 = lateral2 * face.open;
    *is_unsure = u2 > face.sure && u2 <= face.most;
    return u2 <= face.most ? sac_das_tapered(face.taper, u2) : 0;
}

/* An element's way to a point: how deep the point lies before it, and squares of that and of how
 * far aside, from coordinates that are rounded to Real. */
typedef struct sac_das_way {
    float depth, depth2, lateral2;
} sac_das_way;

template <typename Real>
__device__ static inline sac_das_way sac_das_way_of(const sac_das_cuda *run,
                                                    const sac_das_lane &lane, int32_t r)
{
    sac_das_way way;
    if (sizeof(Real) == sizeof(double)) {
        const double *e = &run->place[4 * r], *facing = run->das.elements[r].normal;
        const double x = lane.p[0] - e[0], y = lane.p[1] - e[1], z = lane.p[2] - e[2];
        const double depth = fma(x, facing[0], fma(y, facing[1], z * facing[2]));
        way.depth = (float)depth;
        way.depth2 = (float)(depth * depth);
        way.lateral2 = fmaxf((float)(fma(x, x, fma(y, y, z * z)) - depth * depth), 0);
        return way;
    }
    const float4 e = __ldg((const float4 *)run->from_middle + r),
                 n = __ldg((const float4 *)run->facing + r);
    const float x = lane.pf[0] - e.x, y = lane.pf[1] - e.z, z = lane.pf[2] - e.w;
    way.depth = fmaf(x, n.x, fmaf(y, n.y, z * n.z));
    way.depth2 = way.depth * way.depth;
    way.lateral2 = fmaxf(fmaf(x, x, fmaf(y, y, z * z)) - way.depth2, 0);
    return way;
}

/*
 * w(r, p) of any array, 0 outside of the aperture, which double precision decides where single may
 * not: coordinates round by 2^-24 of the farthest distance, their squares and products by as much.
 * ANEW: from the point's index, not from its place in metres.
 */
template <typename Real, bool ANEW = false>
__device__ static inline float sac_das_weight_any(const sac_das_cuda *run, const sac_das_lane &lane,
                                                  int32_t r)
{
    const sac_apodization *a = &run->das.apodization;
    const sac_das_way way = sac_das_way_of<Real>(run, lane, r);
    const float f2 = lane.open, most = fmaf(f2, way.lateral2, -way.depth2);
    const float slack = fmaf(1e-6f, way.depth2, lane.aside2 * fabsf(way.depth));
    const float unsure = (1 + f2) * slack;
    if (way.depth <= -lane.aside2 || most > unsure)
        return 0;
    if (way.depth < lane.aside2 || most > -unsure || !sac_das_tapers<Real>(a))
        return ANEW ? sac_das_window_anew(run, lane.at.index, r)
                    : sac_das_window_exact(run, lane, r);
    return sac_das_tapered(sac_das_taper_of(a), f2 * way.lateral2 * sac_reciprocal(way.depth2));
}

/* w(r, p), 0 outside of the aperture, which is decided as by double precision. */
template <typename Real>
__device__ static inline float sac_das_weight_of(const sac_das_cuda *run, const sac_das_lane &lane,
                                                 int32_t r)
{
    if (run->das.apodization.f_number <= 0)
        return 1;
    if (run->das.pitch_m <= 0)
        return sac_das_weight_any<Real>(run, lane, r);
    return r >= lane.first && r < lane.last ? sac_das_window_exact(run, lane, r) : 0;
}

/*
 * What elements are alike on the fast way: nothing; they lie on the line of a linear array and
 * sac_das_tapers; in a plane and the same; all weigh 1, but not as many as are taken at a time; all
 * do; on that line; in that plane.
 */
enum {
    SAC_DAS_ANY,
    SAC_DAS_EDGE,
    SAC_DAS_FACE,
    SAC_DAS_TAIL,
    SAC_DAS_PLAIN,
    SAC_DAS_LINE,
    SAC_DAS_PLANE
};

/*
 * The receive delay as whole samples and the rest, and for IQ the turns of its rotation. In single
 * precision all is rest: l - l0 = (l^2 - l0^2) / (l + l0) with l0 the distance to the array's
 * middle, which goes with the transmit's delay in double. The difference is small, and so is its
 * error. With p and e from the middle, l0^2 - l^2 = 2 p e - e^2. *off: it errs by less; products of
 * p and e round, which may be large where their sum is small.
 */
template <typename Real, int KIND>
__device__ static inline int32_t sac_das_receive_at(float *rest, float *turns, float *off,
                                                    const sac_das_cuda *run,
                                                    const sac_das_lane &lane, int32_t r, bool is_iq)
{
    const bool is_line = KIND == SAC_DAS_LINE || KIND == SAC_DAS_EDGE;
    const bool is_plane = KIND == SAC_DAS_PLANE || KIND == SAC_DAS_FACE;
    *turns = 0;
    *off = 0x1p-21f;
    if (sizeof(Real) == sizeof(double)) {
        const double l = sac_das_distance(run, r, lane.p, lane.off_line, is_line);
        const int32_t whole = sac_das_split(rest, l);
        if (is_iq)
            *turns = (float)sac_das_fraction(l * run->turns);
        return whole;
    }
    const float2 *e = (const float2 *)run->from_middle + 2 * r, x_half = __ldg(e);
    const float x = lane.pf[0] - x_half.x;
    float other = lane.off_line_f, half = x_half.y;
    if (is_plane) { /* the middle's */
        const float ey = __ldg((const float *)(e + 1)), y = lane.pf[1] - ey;
        other = fmaf(y, y, fmaf(lane.pf[2], lane.pf[2], 1e-30f));
        half = fmaf(lane.pf[1], ey, half);
    } else if (!is_line) {
        const float2 yz = __ldg(e + 1);
        const float y = lane.pf[1] - yz.x, z = lane.pf[2] - yz.y;
        other = fmaf(y, y, fmaf(z, z, 1e-30f));
        half = fmaf(lane.pf[1], yz.x, fmaf(lane.pf[2], yz.y, half));
    }
    half = fmaf(lane.pf[0], x_half.x, half); /* (l0^2 - l^2) / 2 */
    const float l2 = fmaf(x, x, other), l = l2 * sac_rsqrt(l2);
    const float by = sac_reciprocal(fmaf(0.5f, l, lane.half_l0));
    *rest = -half * by;
    *off = fmaf(0x1p-21f, fmaf(fabsf(x_half.y), by, fabsf(*rest)), *off);
    if (is_iq)
        *turns = sac_das_turns_of(fmaf(*rest, lane.turns, lane.turns0));
    return 0;
}

/* What is received of E elements at a point: whole samples and rests of their delays, how far off
 * these are at most, weights with their rotations. */
template <int E> struct sac_das_received {
    int32_t whole[E];
    float rest[E], off[E], w[E], wi[E];
};

/* Weights of elements which[0, n) in a plane; those from n on weigh nothing. */
template <typename Real, int E>
__device__ static inline void
sac_das_face_weights(float w[E], const sac_das_cuda *run, const sac_das_lane &lane,
                     const sac_das_face &face, const int32_t which[E], int32_t n)
{
    uint32_t unsure = 0;
#pragma unroll
    for (int e = 0; e < E; e++) {
        bool is_unsure;
        const float weight = sac_das_face_weight<Real>(&is_unsure, run, lane, face, which[e]);
        w[e] = e < n ? weight : 0;
        unsure |= e < n && is_unsure ? 1u << e : 0;
    }
    if (unsure == 0)
        return;
#pragma unroll
    for (int e = 0; e < E; e++)
        if ((unsure >> e & 1) != 0)
            w[e] = sac_das_window_anew(run, lane.at.index, which[e]);
}

/* Elements which[0, n); those from n on weigh nothing. INSIDE: in haste, the rotation by the
 * special function units. */
template <typename S, typename Real, bool INSIDE, int KIND, int E>
__device__ static inline sac_das_received<E>
sac_das_hear(const sac_das_cuda *run, const sac_das_lane &lane, const int32_t which[E], int32_t n,
             const sac_das_face &face = {})
{
    const sac_das_taper taper = sac_das_taper_of(&run->das.apodization);
    sac_das_received<E> in;
    if (KIND == SAC_DAS_FACE)
        sac_das_face_weights<Real, E>(in.w, run, lane, face, which, n);
#pragma unroll
    for (int e = 0; e < E; e++) {
        float turns;
        if (KIND != SAC_DAS_FACE)
            in.w[e] = KIND < SAC_DAS_PLAIN && e >= n ? 0 : 1;
        if (KIND == SAC_DAS_ANY && e < n)
            in.w[e] = sac_das_weight_of<Real>(run, lane, which[e]);
        if (KIND == SAC_DAS_EDGE) {
            const float w = sac_das_line_tapered<Real>(run, lane, taper, which[e]);
            in.w[e] = e < n && which[e] >= lane.first && which[e] < lane.last ? w : 0;
        }
        in.wi[e] = 0;
        in.whole[e] = sac_das_receive_at<Real, KIND>(&in.rest[e], &turns, &in.off[e], run, lane,
                                                     which[e], sac_sample<S>::is_iq);
        if (sac_sample<S>::is_iq) {
            float c, s;
            if (INSIDE)
                sac_rotate(&c, &s, turns);
            else
                sac_das_rotation(&c, &s, turns);
            in.wi[e] = in.w[e] * s;
            in.w[e] *= c;
        }
    }
    return in;
}

/* The points of n neighbouring lanes, from the array's middle: a ball around them. Elements that
 * none of them can have in its aperture are passed over without asking each point. */
typedef struct sac_das_ball {
    float middle[3], radius, slack;
} sac_das_ball;

__device__ static inline sac_das_ball sac_das_ball_of(const sac_das_lane &lane, int n = SAC_WARP)
{
    sac_das_ball ball;
    float squares = 0;
    for (int i = 0; i < 3; i++) {
        float low = lane.pf[i], high = low;
        for (int apart = n / 2; apart > 0; apart /= 2) {
            low = fminf(low, __shfl_xor_sync(SAC_ALL_LANES, low, apart));
            high = fmaxf(high, __shfl_xor_sync(SAC_ALL_LANES, high, apart));
        }
        ball.middle[i] = 0.5f * (low + high);
        squares = fmaf(high - low, high - low, squares);
    }
    float far = (float)lane.far;
    for (int apart = n / 2; apart > 0; apart /= 2)
        far = fmaxf(far, __shfl_xor_sync(SAC_ALL_LANES, far, apart));
    ball.radius = 0.5f * sqrtf(squares);
    ball.slack = 1e-5f * far; /* coordinates and products round by far less */
    return ball;
}

/* None of the points has the element in its aperture; some may; it weighs 1 at all of them. */
typedef enum sac_das_hearing { SAC_DAS_DEAF, SAC_DAS_SOME, SAC_DAS_FLAT } sac_das_hearing;

__device__ static inline sac_das_hearing sac_das_ball_hears(const sac_das_ball &ball,
                                                            const sac_das_cuda *run, int32_t r)
{
    const float4 e = __ldg((const float4 *)run->from_middle + r),
                 n = __ldg((const float4 *)run->facing + r);
    const float x = ball.middle[0] - e.x, y = ball.middle[1] - e.z, z = ball.middle[2] - e.w;
    const float depth = fmaf(x, n.x, fmaf(y, n.y, z * n.z));
    const float lateral2 = fmaf(x, x, fmaf(y, y, z * z)) - depth * depth;
    const float reach = ball.radius + ball.slack, deepest = depth + reach;
    const float lateral = sqrtf(fmaxf(lateral2, 0)); /* which a large F makes inexact */
    const float f2 = 2 * (float)run->das.apodization.f_number,
                inexact = fmaf(1e-6f * f2, f2, 1e-4f);
    if (deepest <= 0 || f2 * (lateral - reach) > (1 + inexact) * deepest)
        return SAC_DAS_DEAF;
    const float flat = fminf(sac_das_taper_of(&run->das.apodization).flat, 1);
    return f2 * (lateral + reach) < (flat - inexact) * (depth - reach) ? SAC_DAS_FLAT
                                                                       : SAC_DAS_SOME;
}

#endif
