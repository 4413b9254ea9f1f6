/*
 * Messages by the time at which they arrive.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "simulation.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"

enum { MTU = 1200 };
static const int64_t frame_ns = 33333333;

double sim_draw(Sim *sim)
{
    return sac_random_uniform(sim->seed, sim->drawn++);
}

/* Frame i: noise on a picture of which some moves. */
static void make_frame(uint8_t *rgb, int i)
{
    for (int k = 0; k < SIM_BYTES; k++) {
        const uint64_t still = sac_random(1, (uint64_t)k),
                       moves = sac_random(2 + (uint64_t)i, (uint64_t)k);
        rgb[k] = (uint8_t)(moves % 3 == 0 ? moves >> 8 : still);
    }
}

static void schedule(Sim *sim, int from, int to, const uint8_t *bytes, size_t n)
{
    if (sim->n_messages == sim->room) {
        sim->room = sim->room ? 2 * sim->room : 256;
        sim->messages = realloc(sim->messages, (size_t)sim->room * sizeof *sim->messages);
    }
    SimMessage *m = &sim->messages[sim->n_messages++];
    *m = (SimMessage){.from = from, .to = to, .n = n, .bytes = malloc(n ? n : 1)};
    m->at_ns = sim->now_ns + sim->faults.delay_ns +
               (int64_t)(sim_draw(sim) * (double)sim->faults.jitter_ns);
    memcpy(m->bytes, bytes, n);
    if (sim_draw(sim) < sim->faults.damage)
        m->bytes[(size_t)(sim_draw(sim) * (double)n)] ^= (uint8_t)(1 << (int)(sim_draw(sim) * 8));
}

static int send_message(void *ctx, sac_path *path, const uint8_t *bytes, size_t n)
{
    SimEnd *end = ctx;
    Sim *sim = end->sim;
    const int to = end->index == 0 ? path->address[0] : 0;
    if (sim->is_out || sim_draw(sim) < sim->faults.loss)
        return 1;
    schedule(sim, end->index, to, bytes, n);
    if (sim_draw(sim) < sim->faults.duplicate)
        schedule(sim, end->index, to, bytes, n);
    return 1;
}

static sac_path *keep(void *ctx, sac_path *path)
{
    const SimEnd *end = ctx;
    sac_path *kept = end->index == 0 ? malloc(sizeof *kept) : path;
    if (kept != path)
        *kept = *path;
    return kept;
}

static void drop(void *ctx, sac_path *path)
{
    const SimEnd *end = ctx;
    if (end->index == 0)
        free(path);
}

static bool is_exact(const sac_delta_frame *decoded)
{
    uint8_t wanted[SIM_BYTES];
    make_frame(wanted, (int)(decoded->time_ns / (uint64_t)frame_ns));
    for (int y = 0; y < SIM_H; y++)
        for (int x = 0; x < 3 * SIM_W; x++) {
            const int got =
                ((const uint8_t *)decoded->picture.data)[y * decoded->picture.stride[0] + x];
            if (abs(got - wanted[y * 3 * SIM_W + x]) > SIM_THRESHOLD)
                return false;
        }
    return true;
}

static void show(void *ctx, sac_link_packet *packet)
{
    SimEnd *end = ctx;
    sac_delta_frame decoded;
    if (!(packet->flags & SAC_LINK_IS_FORM)) {
        const sac_status st =
            sac_delta_decode_run(end->decoder, &decoded, packet->bytes, packet->size, NULL);
        if (st == SAC_OK) {
            const int64_t now = end->sim->now_ns;
            const int64_t off = packet->captured_ns - (int64_t)decoded.time_ns - end->offset_ns;
            end->gap_ns =
                end->shown && now - end->shown_ns > end->gap_ns ? now - end->shown_ns : end->gap_ns;
            end->shown_ns = now;
            end->first = end->shown ? end->first : (int)(decoded.time_ns / (uint64_t)frame_ns);
            end->shown++;
            end->wrong += !is_exact(&decoded);
            end->worst_clock_ns =
                llabs(off) > end->worst_clock_ns ? llabs(off) : end->worst_clock_ns;
        } else {
            end->refused++;
            if (decoded.wants_key)
                sac_hub_ask_key(end->hub);
        }
    }
    sac_link_packet_unref(packet);
}

static void open_end(Sim *sim, int index)
{
    SimEnd *end = &sim->ends[index];
    sac_link_desc desc;
    sac_link_desc_init(&desc);
    desc.is_sender = index == 0;
    const sac_carrier_fns carrier = {
        .send = send_message, .keep = keep, .drop = drop, .ctx = end, .loses = true, .most = MTU};
    *end = (SimEnd){.sim = sim,
                    .index = index,
                    .hub = malloc(sizeof *end->hub),
                    .is_on = true,
                    .offset_ns = index * INT64_C(3600000000000)};
    sac_hub_open(end->hub, &desc, &sim->key, &carrier, index == 0);
    end->hub->deliver = show;
    end->hub->deliver_ctx = end;
    if (index > 0) {
        sac_delta_decode_desc decode;
        sac_delta_decode_desc_init(&decode);
        decode.n_threads = 1;
        (void)!sac_delta_decode_open(&end->decoder, &decode, NULL);
    }
}

void sim_open(Sim *sim, uint64_t seed, const SimFaults *faults, const char *passphrase)
{
    sac_delta_encode_desc desc;
    *sim = (Sim){.seed = seed, .faults = *faults};
    if (passphrase)
        (void)sac_link_key_derive(&sim->key, passphrase, strlen(passphrase));
    open_end(sim, 0);
    sac_delta_encode_desc_init(&desc);
    desc.w = SIM_W;
    desc.h = SIM_H;
    desc.threshold = SIM_THRESHOLD;
    desc.key_interval_s = 0;
    desc.n_threads = 1;
    (void)!sac_delta_encode_open(&sim->encoder, &desc, NULL);
}

static void close_end(SimEnd *end)
{
    if (end->hub)
        sac_hub_close(end->hub);
    free(end->hub);
    end->hub = NULL;
    end->is_on = false;
    sac_delta_decode_close(&end->decoder);
}

void sim_close(Sim *sim)
{
    for (int i = 0; i < SIM_HUBS; i++)
        close_end(&sim->ends[i]);
    while (sim->n_messages > 0)
        free(sim->messages[--sim->n_messages].bytes);
    free(sim->messages);
    sac_delta_encode_close(&sim->encoder);
}

void sim_join(Sim *sim, int receiver)
{
    open_end(sim, receiver);
    sim->ends[receiver].path.address[0] = (uint8_t)receiver;
}

void sim_leave(Sim *sim, int receiver)
{
    const bool was_out = sim->is_out;
    sim->is_out = true; /* its goodbye is lost */
    close_end(&sim->ends[receiver]);
    sim->is_out = was_out;
}

static void take_events(Sim *sim, SimEnd *end)
{
    sac_link_event event;
    while (sac_hub_next_event(end->hub, &event)) {
        end->n_events[event.type]++;
        if (event.type == SAC_LINK_KEY)
            sac_delta_encode_key(sim->encoder);
        if (event.type == SAC_LINK_CONTROL)
            memcpy(end->control, event.text, sizeof end->control);
    }
}

static void run_hub(Sim *sim, SimEnd *end)
{
    const int64_t now = sim->now_ns + end->offset_ns;
    if (end->path.is_broken && end->hub->path == &end->path)
        sac_hub_break(end->hub, &end->path);
    if (end->index > 0 && !end->hub->path && end->hub->n_sessions == 0) {
        end->path.is_broken = false;
        sac_hub_connect(end->hub, &end->path, now);
    }
    const int64_t until = sac_hub_run(end->hub, now);
    end->run_ns = until == INT64_MAX ? until : until - end->offset_ns;
    if (end->index > 0 && !end->hub->path && end->hub->n_sessions == 0)
        end->run_ns = sim->now_ns + 100 * SAC_MS; /* connects again */
    take_events(sim, end);
    for (uint32_t i = 0; i < end->hub->n_sessions; i++) {
        const sac_outflow *o = end->hub->sessions[i]->out;
        if (o && o->kept_bytes + o->waiting_bytes > sim->most_kept)
            sim->most_kept = o->kept_bytes + o->waiting_bytes;
    }
}

void sim_inject(Sim *sim, int from, int to, const uint8_t *bytes, size_t n)
{
    SimEnd *end = &sim->ends[to];
    uint8_t copy[SAC_MESSAGE_MOST];
    sac_path stranger = {.address = {(uint8_t)from}};
    if (!end->is_on)
        return;
    memcpy(copy, bytes, n);
    (void)sac_hub_take(end->hub, to == 0 ? &stranger : &end->path, copy, n,
                       sim->now_ns + end->offset_ns);
    end->run_ns = sim->now_ns;
}

static void send_frame(Sim *sim)
{
    static uint8_t rgb[SIM_BYTES];
    const int64_t shape[] = {SIM_H, SIM_W, 3};
    sac_array picture;
    sac_delta_packet packet;
    make_frame(rgb, sim->n_frames);
    (void)!sac_array_view(&picture, rgb, SAC_U8, 3, shape, NULL);
    if (sac_delta_encode_run(sim->encoder, &packet, &picture, (uint64_t)(sim->n_frames * frame_ns),
                             NULL) != SAC_OK)
        abort();
    sac_link_packet *p = sac_link_packet_new(packet.size);
    memcpy(p->bytes, packet.data, packet.size);
    p->flags = packet.is_key ? SAC_LINK_IS_KEY : 0;
    p->captured_ns = (int64_t)packet.time_ns;
    sac_hub_send(sim->ends[0].hub, p, sim->now_ns);
    sac_link_packet_unref(p);
    sim->n_frames++;
    sim->ends[0].run_ns = sim->now_ns;
}

/* The next message, timer or frame, whichever is first. False: none before `end_ns`. */
static bool step(Sim *sim, int64_t end_ns)
{
    int64_t at = (int64_t)sim->n_frames * frame_ns;
    int message = -1, timer = -1;
    for (int i = 0; i < SIM_HUBS; i++)
        if (sim->ends[i].is_on && sim->ends[i].run_ns < at)
            at = sim->ends[timer = i].run_ns;
    for (int i = 0; i < sim->n_messages; i++)
        if (sim->messages[i].at_ns < at)
            at = sim->messages[message = i].at_ns;
    if (at >= end_ns)
        return false;
    sim->now_ns = at > sim->now_ns ? at : sim->now_ns;
    if (message >= 0) {
        const SimMessage m = sim->messages[message];
        sim->messages[message] = sim->messages[--sim->n_messages];
        sim_inject(sim, m.from, m.to, m.bytes, m.n);
        free(m.bytes);
    } else if (timer >= 0)
        run_hub(sim, &sim->ends[timer]);
    else
        send_frame(sim);
    return true;
}

void sim_run(Sim *sim, double seconds)
{
    const int64_t end_ns = sim->now_ns + (int64_t)(seconds * 1e9);
    while (step(sim, end_ns))
        ;
    sim->now_ns = end_ns;
}

sac_link_counts sim_counts(const Sim *sim, int end)
{
    sac_link_counts counts;
    sac_hub_get_counts(sim->ends[end].hub, &counts);
    return counts;
}
