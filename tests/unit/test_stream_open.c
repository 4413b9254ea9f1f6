/*
 * Opening a stream: what it refuses, the memory it takes, and where its worker runs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "counts.h"
#include "unit.h"

#include "base/alloc.h"
#include "base/system.h"
#include "refusal.h"
#include "stream_probe.h"

static void memory_of_the_caller_is_used_to_its_end_and_no_further(void **state)
{
    (void)state;
    probe p = {0};
    sac_stream_desc desc = probe_desc(&p);
    desc.capacity = 5;
    desc.batch_max = 2;
    const size_t bytes = sac_stream_memory_bytes(&desc);
    assert_true(bytes >= 8 * PROBE_WORDS * sizeof(uint64_t));
    unsigned char *memory = sac_alloc(1, bytes + 64);
    assert_non_null(memory);
    memset(memory, 0xA5, bytes + 64);
    desc.memory = memory;
    desc.memory_bytes = bytes;
    sac_stream *s = probe_open(&desc);
    for (uint64_t i = 0; i < 100; i++) {
        const unsigned char *slot = sac_stream_slot(s);
        assert_true(slot > memory && slot + desc.frame_bytes <= memory + bytes);
        assert_int_equal((uintptr_t)slot % 64, 0);
        assert_int_equal(probe_send(s, i), SAC_OK);
    }
    sac_stream_close(&s);
    assert_int_equal(p.n_frames, 100);
    assert_sound(&p);
    for (size_t i = 0; i < 64; i++)
        assert_int_equal(memory[bytes + i], 0xA5);
    sac_free(memory);
}

static void open_refuses_what_is_out_of_range(void **state)
{
    (void)state;
    probe p = {0};
    sac_error err = {0};
    sac_stream *s = (sac_stream *)&p;
    sac_stream_desc good = probe_desc(&p), desc;
    assert_failed(sac_stream_open(NULL, &good, &err), SAC_E_INVALID, &err, "NULL");
    assert_failed(sac_stream_open(&s, NULL, &err), SAC_E_INVALID, &err, "desc");
    assert_null(s);
#define REFUSED(field, value, status, word)                                                        \
    desc = good;                                                                                   \
    desc.field = value;                                                                            \
    assert_failed(sac_stream_open(&s, &desc, &err), status, &err, word);                           \
    assert_null(s)
    REFUSED(struct_size, 9, SAC_E_INVALID, "struct_size");
    REFUSED(work, NULL, SAC_E_INVALID, "work");
    REFUSED(frame_bytes, 0, SAC_E_INVALID, "frame_bytes");
    REFUSED(frame_bytes, SIZE_MAX, SAC_E_NOMEM, "frame_bytes");
    REFUSED(frame_bytes, SIZE_MAX / 2, SAC_E_NOMEM, "frame_bytes");
    REFUSED(frame_bytes, SIZE_MAX / 128, SAC_E_NOMEM, "frame_bytes");
    REFUSED(capacity, 0, SAC_E_INVALID, "capacity");
    REFUSED(capacity, (1 << 20) + 1, SAC_E_INVALID, "capacity");
    REFUSED(batch_max, 0, SAC_E_INVALID, "batch-max");
    REFUSED(batch_max, 4097, SAC_E_INVALID, "batch-max");
    REFUSED(policy, 3, SAC_E_INVALID, "policy");
    REFUSED(spin_us, -2, SAC_E_INVALID, "spin");
    REFUSED(deadline_us, -1, SAC_E_INVALID, "deadline");
    REFUSED(cpu, -2, SAC_E_INVALID, "cpu");
    REFUSED(cpu, 1023, SAC_E_UNSUPPORTED, "1023");
    REFUSED(priority, 100, SAC_E_INVALID, "priority");
    REFUSED(memory, (char *)&p + 1, SAC_E_INVALID, "aligned");
#undef REFUSED
    static _Alignas(64) char small[64];
    desc = good;
    desc.memory = small;
    desc.memory_bytes = sizeof small;
    assert_failed(sac_stream_open(&s, &desc, &err), SAC_E_INVALID, &err, "memory_bytes");
    assert_null(s);
    desc.capacity = 0;
    assert_int_equal(sac_stream_memory_bytes(&desc), 0);
    desc.capacity = 1;
    desc.frame_bytes = SIZE_MAX;
    assert_int_equal(sac_stream_memory_bytes(&desc), 0);
    sac_stream_close(NULL);
    sac_stream_close(&s);
}

static void calls_with_null_are_refused(void **state)
{
    (void)state;
    probe p = {0};
    ptrdiff_t stride = 0;
    sac_stream_frame frame = {0};
    sac_stream_desc_init(NULL);
    assert_int_equal(sac_stream_memory_bytes(NULL), 0);
    assert_int_equal(sac_stream_evenly_spaced(NULL, 1, &stride), 0);
    assert_int_equal(sac_stream_evenly_spaced(&frame, 1, NULL), 0);
    assert_int_equal(sac_stream_evenly_spaced(&frame, 0, &stride), 0);
    assert_null(sac_stream_slot(NULL));
    assert_int_equal(sac_stream_send(NULL, 0), SAC_E_INVALID);
    sac_stream_refuse(NULL, 1);
    sac_stream_request_stop(NULL);
    assert_true(sac_stream_is_stopping(NULL));
    sac_stream_stop(NULL);
    assert_int_equal(counts_of_stream(NULL).received, 0);
    assert_null(sac_stream_get_latency(NULL));
    assert_null(sac_producer_slot(NULL));
    assert_int_equal(sac_producer_send(NULL, 0), SAC_E_INVALID);
    sac_producer_refuse(NULL, 1);
    assert_true(sac_producer_is_stopping(NULL));
    /* Nor can counts be taken back. */
    const sac_stream_desc desc = probe_desc(&p);
    sac_stream *s = probe_open(&desc);
    sac_stream_refuse(s, -5);
    sac_stream_refuse(s, 2);
    sac_stream_stop(s);
    assert_stopped(s, 2, 2, 0, 0, 0);
    sac_stream_close(&s);
}

static void open_without_memory_is_refused_at_each_step(void **state)
{
    (void)state;
    probe p = {0};
    sac_error err = {0};
    sac_stream *s = NULL;
    sac_stream_desc desc = probe_desc(&p);
    int steps = 0;
    for (; !s; steps++) {
        refuse_from(steps);
        const sac_status status = sac_stream_open(&s, &desc, &err);
        sac_alloc_hook(NULL);
        if (!s)
            assert_failed(status, SAC_E_NOMEM, &err, "memory");
    }
    assert_int_equal(steps, 6); /* the stream, ids, frames, ring, histogram; then all is there */
    sac_stream_close(&s);
}

static void a_worker_on_a_cpu_or_urgent_runs_or_is_refused(void **state)
{
    (void)state;
    probe p = {0};
    cpu_set_t cpus;
    assert_int_equal(sched_getaffinity(0, sizeof cpus, &cpus), 0);
    sac_stream_desc desc = probe_desc(&p);
    size_t cpu = 0;
    while (!CPU_ISSET(cpu, &cpus))
        cpu++;
    desc.cpu = SAC_LINUX ? (int32_t)cpu : -1; /* elsewhere it is refused: test_posix.c */
    sac_stream *s = probe_open(&desc);
    assert_int_equal(probe_send(s, 0), SAC_OK);
    sac_stream_close(&s);
    assert_int_equal(p.n_frames, 1);
    sac_error err = {0};
    desc.priority = 1;
    const sac_status status = sac_stream_open(&s, &desc, &err);
    if (status)
        assert_failed(status, SAC_E_UNSUPPORTED, &err, "priority");
    sac_stream_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_the_caller_is_used_to_its_end_and_no_further),
        cmocka_unit_test(open_refuses_what_is_out_of_range),
        cmocka_unit_test(calls_with_null_are_refused),
        cmocka_unit_test(open_without_memory_is_refused_at_each_step),
        cmocka_unit_test(a_worker_on_a_cpu_or_urgent_runs_or_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
