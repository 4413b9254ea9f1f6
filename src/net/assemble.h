/*
 * What a receiver knows before its assembler does.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_NET_ASSEMBLE_H
#define SAC_NET_ASSEMBLE_H

#include <saccade/frame_link.h>

/* Counts a datagram of a kind that the socket tells. */
void sac_frame_assembler_count(sac_frame_assembler *assembler, sac_packet_kind kind);

#endif
