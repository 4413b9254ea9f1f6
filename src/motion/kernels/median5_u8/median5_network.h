/*
 * The steps of median5_u8's networks, one list for CPU and GPU. Who includes it has `M5`, a vector
 * or word of samples, `M5_INLINE`, and order(v, a, b): of v the smaller value to place a, the
 * larger to place b.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_MEDIAN5_NETWORK_H
#define SAC_MOTION_MEDIAN5_NETWORK_H

/* Five in order. */
M5_INLINE void sort5(M5 *v)
{
    order(v, 0, 3);
    order(v, 1, 4);
    order(v, 0, 2);
    order(v, 1, 3);
    order(v, 0, 1);
    order(v, 2, 4);
    order(v, 1, 2);
    order(v, 3, 4);
    order(v, 2, 3);
}

/* Two times five in order to ten, at places 0 1 2 3 4 6 7 8 5 9: Batcher's odd-even merge (Knuth,
 * The Art of Computer Programming 3, 5.3.4). */
M5_INLINE void merge10(M5 *v)
{
    order(v, 0, 5);
    order(v, 4, 9);
    order(v, 4, 5);
    order(v, 2, 7);
    order(v, 2, 4);
    order(v, 7, 5);
    order(v, 1, 6);
    order(v, 3, 8);
    order(v, 3, 6);
    order(v, 1, 2);
    order(v, 3, 4);
    order(v, 6, 7);
    order(v, 8, 5);
}

/* Of two times ten in order the 8th to 13th, at places 7 8 9 12 13 14: with five samples more, the
 * 13th of 25 is one of them or of the five. The same merge, without the steps that these need not.
 */
M5_INLINE void middle20(M5 *v)
{
    order(v, 0, 10);
    order(v, 8, 18);
    order(v, 8, 10);
    order(v, 4, 14);
    order(v, 4, 8);
    order(v, 14, 10);
    order(v, 2, 12);
    order(v, 6, 16);
    order(v, 6, 12);
    order(v, 6, 8);
    order(v, 12, 14);
    order(v, 1, 11);
    order(v, 9, 19);
    order(v, 9, 11);
    order(v, 5, 15);
    order(v, 5, 9);
    order(v, 15, 11);
    order(v, 3, 13);
    order(v, 7, 17);
    order(v, 7, 13);
    order(v, 7, 9);
    order(v, 13, 15);
    order(v, 7, 8);
    order(v, 9, 12);
    order(v, 13, 14);
}

#endif
