/*
 * Where a fiber goes on, and what the sanitizers want to know of that; a part of block.cpp.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EMULATE_CONTEXT_H
#define SAC_EMULATE_CONTEXT_H

#include <stddef.h>
#ifndef __x86_64__
#include <ucontext.h>
#endif

extern "C" {
/* Of the sanitizers, where they are. */
void *__tsan_get_current_fiber(void) __attribute__((weak));
void *__tsan_create_fiber(unsigned flags) __attribute__((weak));
void __tsan_switch_to_fiber(void *fiber, unsigned flags) __attribute__((weak));
void __tsan_acquire(void *at) __attribute__((weak));
void __tsan_release(void *at) __attribute__((weak));
void __sanitizer_start_switch_fiber(void **save, const void *stack, size_t bytes)
    __attribute__((weak));
void __sanitizer_finish_switch_fiber(void *save, const void **stack, size_t *bytes)
    __attribute__((weak));
void __asan_poison_memory_region(const volatile void *at, size_t bytes) __attribute__((weak));
void __asan_unpoison_memory_region(const volatile void *at, size_t bytes) __attribute__((weak));
}

/* Where a fiber goes on. ucontext's own switch asks the kernel for the signal mask, which takes
 * half of the time of all. */
#ifdef __x86_64__
typedef struct context {
    void *stack; /* its top holds what a call keeps, and where to return to */
} context;

extern "C" void emulated_switch(context *from, const context *to);
asm(".text\n"
    ".type emulated_switch, @function\n"
    "emulated_switch:\n"
    "  push %rbp\n  push %rbx\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
    "  mov %rsp, (%rdi)\n"
    "  mov (%rsi), %rsp\n"
    "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbx\n  pop %rbp\n"
    "  ret\n"
    ".size emulated_switch, .-emulated_switch\n");

static void start_context(context *c, char *stack, size_t bytes, void (*entry)(void))
{
    enum { KEPT = 6 };
    void **top = (void **)(stack + bytes) - 2; /* where `ret` leaves the stack as a call does */
    top[0] = (void *)entry;
    top[1] = NULL; /* no caller */
    for (int i = 0; i < KEPT; i++)
        *--top = NULL;
    c->stack = top;
}
#else
typedef ucontext_t context;

static void emulated_switch(context *from, const context *to)
{
    swapcontext(from, to);
}

static void start_context(context *c, char *stack, size_t bytes, void (*entry)(void))
{
    getcontext(c);
    c->uc_stack.ss_sp = stack;
    c->uc_stack.ss_size = bytes;
    makecontext(c, entry, 0);
}
#endif

#endif
