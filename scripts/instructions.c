/*
 * Counts the instructions of one timed call of a kernel: a plugin of qemu-user, which
 * scripts/instructions compiles and loads. `saccade ladder` reads the clock before and after a call,
 * so the count is from a reading (the function sac_clock_ns) to the next. The first reading after a
 * call of the kernel ends the check against the reference; the second one a single call.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is used of qemu-plugin.h, version 1, which distributions do not ship with qemu-user. */
typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef void at_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *block);
typedef void at_execution(unsigned int cpu, void *given);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, at_translation *call);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, at_execution *call,
                                          int registers, void *given);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, int add, void *to,
                                              uint64_t n);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t i);
const char *qemu_plugin_insn_symbol(const struct qemu_plugin_insn *instruction);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

static char kernel[128];
static FILE *report;
static uint64_t n_instructions, n_before; /* up to the last reading of the clock */
static int n_readings;                    /* after a call of the kernel */
static bool was_called;

static void on_kernel(unsigned int cpu, void *given)
{
    (void)cpu, (void)given;
    was_called = true;
}

static void on_clock(unsigned int cpu, void *given)
{
    (void)cpu, (void)given;
    if (was_called && ++n_readings == 2) {
        fprintf(report, "%" PRIu64 "\n", n_instructions - n_before);
        fclose(report);
        _Exit(0);
    }
    n_before = n_instructions;
    was_called = false;
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    const char *symbol = qemu_plugin_insn_symbol(qemu_plugin_tb_get_insn(block, 0));
    if (symbol && !strcmp(symbol, kernel))
        qemu_plugin_register_vcpu_tb_exec_cb(block, on_kernel, 0, NULL);
    else if (symbol && !strcmp(symbol, "sac_clock_ns"))
        qemu_plugin_register_vcpu_tb_exec_cb(block, on_clock, 0, NULL);
    qemu_plugin_register_vcpu_tb_exec_inline(block, 0, &n_instructions,
                                             qemu_plugin_tb_n_insns(block));
}

/* Arguments: kernel=SYMBOL and out=FILE. */
__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id,
                                                               const void *about, int argc,
                                                               char **argv)
{
    (void)about;
    for (int i = 0; i < argc; i++) {
        if (!strncmp(argv[i], "kernel=", 7))
            snprintf(kernel, sizeof kernel, "%s", argv[i] + 7);
        else if (!strncmp(argv[i], "out=", 4))
            report = fopen(argv[i] + 4, "w");
    }
    if (!kernel[0] || !report)
        return -1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    return 0;
}
