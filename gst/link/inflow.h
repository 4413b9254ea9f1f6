/*
 * The receiver's half of a connection: fragments to packets, in order; what is missing is asked
 * for, and given up when it is too late. No sockets, no clock of its own.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_LINK_INFLOW_H
#define SAC_LINK_INFLOW_H

#include "message.h"
#include "timing.h"

enum { SAC_IN_PACKETS = 512, SAC_REPAIR_MS = 1000 };

/* A packet on its way in. */
typedef struct sac_gathering {
    sac_link_packet *packet; /* NULL: no fragment of it came */
    uint64_t *seen;          /* bits of fragments */
    uint32_t part, n_parts, n_missing;
    uint32_t evident;         /* fragments below have been sent, as later ones came */
    uint32_t asked;           /* fragments below have been asked for */
    int64_t noted_ns;         /* when the first gap was seen; 0: none */
    int64_t fresh_ns;         /* when to ask for what is missing from `asked` on */
    int64_t fresh_since_ns;   /* when the first gap of those was seen */
    int64_t again_ns;         /* when to ask for all that is missing, again */
    int64_t tail_ns;          /* when all of it should have come */
    int64_t due_ns;           /* when to give it up */
    bool is_whole, is_passed; /* passed: all of it has been sent */
    bool was_asked;
} sac_gathering;

typedef struct sac_inflow {
    int64_t latency_ns;
    bool is_ordered; /* the carrier loses nothing: what is not here is on its way */
    /* Takes a whole packet, with its reference. */
    void (*deliver)(void *ctx, sac_link_packet *packet);
    void *ctx;
    sac_gathering at[SAC_IN_PACKETS];
    uint64_t next, end; /* numbers: the next to deliver, above all that are known */
    int64_t held_bytes; /* of packets here */
    int64_t reorder_ns; /* how long fragments that others overtook are waited for */
    int64_t eased_ns;   /* when reorder_ns was last lowered */
    bool is_discont;    /* the next packet follows one that is missing */
    bool wants_key;
    uint64_t key_after; /* a keyframe with this number or above will do */
    uint64_t n_packets, n_bytes, n_lost, n_repaired, n_late, n_duplicates, n_malformed;
    uint64_t n_parts_asked;              /* for the first time */
    uint64_t repairs[SAC_REPAIR_MS + 1]; /* fragments that came again, by ms since the gap */
} sac_inflow;

void sac_inflow_open(sac_inflow *f, int64_t latency_ns, bool is_ordered);
void sac_inflow_close(sac_inflow *f);
void sac_inflow_take(sac_inflow *f, const sac_fragment *fragment, int64_t now_ns);

/* The sender says that it has sent all packets below. */
void sac_inflow_heard(sac_inflow *f, uint64_t next, int64_t now_ns);

/* The sender says that it has none below any more. */
void sac_inflow_gone(sac_inflow *f, uint64_t first);

/* A keyframe is wanted, if none is on its way. */
void sac_inflow_want_key(sac_inflow *f);

/* Gives up what is too late, and fills in what to ask for now. Returns when to call it again. */
int64_t sac_inflow_run(sac_inflow *f, sac_range ranges[SAC_NACK_MOST], uint32_t *n_ranges,
                       int64_t now_ns, int64_t patience_ns);

/* Milliseconds within which a share of the repaired fragments came. */
uint64_t sac_repairs_quantile(const uint64_t repairs[SAC_REPAIR_MS + 1], double share);

#endif
