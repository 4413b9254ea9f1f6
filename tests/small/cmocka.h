/*
 * As much of cmocka as the tests here use, where there is none for the target: a cross compiler's,
 * musl's. Each test ends at its first failed assertion; the group goes on.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_SMALL_CMOCKA_H
#define SAC_TESTS_SMALL_CMOCKA_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct CMUnitTest {
    const char *name;
    void (*test)(void **state);
    int (*set_up)(void **state), (*tear_down)(void **state);
    void *initial_state; /* NULL: what the one before left */
} CMUnitTest;

typedef enum small_result { SMALL_RUNS = 0, SMALL_FAILED, SMALL_SKIPPED } small_result;

/* Of the test that runs; one thread's, as in cmocka. */
static jmp_buf small_end;

#define cmocka_unit_test(f) cmocka_unit_test_setup_teardown(f, NULL, NULL)
#define cmocka_unit_test_setup(f, set_up) cmocka_unit_test_setup_teardown(f, set_up, NULL)
#define cmocka_unit_test_setup_teardown(f, set_up, tear_down)                                      \
    {                                                                                              \
#f, f, set_up, tear_down, NULL                                                             \
    }
#define cmocka_unit_test_prestate(f, state)                                                        \
    {                                                                                              \
#f, f, NULL, NULL, state                                                                   \
    }
#define cmocka_run_group_tests(tests, set_up, tear_down)                                           \
    small_run(tests, sizeof(tests) / sizeof *(tests), set_up, tear_down)
#define cmocka_run_group_tests_name(name, tests, set_up, tear_down)                                \
    cmocka_run_group_tests(tests, set_up, tear_down)

#define skip() longjmp(small_end, SMALL_SKIPPED)
#define fail() small_fail(__FILE__, __LINE__, "fail()")
#define fail_msg(...) small_fail(__FILE__, __LINE__, __VA_ARGS__)
#define print_message(...) ((void)printf(__VA_ARGS__))
#define print_error(...) ((void)fprintf(stderr, __VA_ARGS__))

#define assert_true(c) small_check((c) ? 1 : 0, __FILE__, __LINE__, #c)
#define assert_false(c) small_check((c) ? 0 : 1, __FILE__, __LINE__, "not " #c)
#define assert_null(p) small_check((p) == NULL, __FILE__, __LINE__, #p " is NULL")
#define assert_non_null(p) small_check((p) != NULL, __FILE__, __LINE__, #p " is not NULL")
#define assert_ptr_equal(a, b)                                                                     \
    small_check((const void *)(a) == (const void *)(b), __FILE__, __LINE__, #a " is " #b)
#define assert_int_equal(a, b)                                                                     \
    small_check_int((uintmax_t)(a), (uintmax_t)(b), __FILE__, __LINE__, #a " is " #b)
#define assert_int_not_equal(a, b)                                                                 \
    small_check((uintmax_t)(a) != (uintmax_t)(b), __FILE__, __LINE__, #a " is not " #b)
#define assert_in_range(v, low, high)                                                              \
    small_check_range((uintmax_t)(v), (uintmax_t)(low), (uintmax_t)(high), __FILE__, __LINE__, #v)
#define assert_float_equal(a, b, tolerance)                                                        \
    small_check(fabs((double)(a) - (double)(b)) <= (double)(tolerance), __FILE__, __LINE__,        \
                #a " is " #b)
#define assert_string_equal(a, b) small_check_text(a, b, __FILE__, __LINE__)
#define assert_string_not_equal(a, b)                                                              \
    small_check(strcmp(a, b) != 0, __FILE__, __LINE__, #a " is not " #b)
#define assert_memory_equal(a, b, n)                                                               \
    small_check(memcmp(a, b, n) == 0, __FILE__, __LINE__, #a " has the bytes of " #b)
#define assert_memory_not_equal(a, b, n)                                                           \
    small_check(memcmp(a, b, n) != 0, __FILE__, __LINE__, #a " has other bytes than " #b)

__attribute__((noreturn, unused, format(printf, 3, 4))) static void
small_fail(const char *file, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    longjmp(small_end, SMALL_FAILED);
}

__attribute__((unused)) static void small_check(int holds, const char *file, int line,
                                                const char *what)
{
    if (!holds)
        small_fail(file, line, "expected: %s", what);
}

__attribute__((unused)) static void small_check_int(uintmax_t a, uintmax_t b, const char *file,
                                                    int line, const char *what)
{
    if (a != b)
        small_fail(file, line, "expected: %s; %jd is not %jd", what, (intmax_t)a, (intmax_t)b);
}

__attribute__((unused)) static void small_check_range(uintmax_t v, uintmax_t low, uintmax_t high,
                                                      const char *file, int line, const char *what)
{
    if (v < low || v > high)
        small_fail(file, line, "expected: %s from %ju to %ju, got %ju", what, low, high, v);
}

__attribute__((unused)) static void small_check_text(const char *a, const char *b, const char *file,
                                                     int line)
{
    if (strcmp(a, b) != 0)
        small_fail(file, line, "expected the same text: \"%s\", \"%s\"", a, b);
}

static small_result small_run_one(const CMUnitTest *t, void **state)
{
    if (t->initial_state)
        *state = t->initial_state;
    if (t->set_up && t->set_up(state) != 0)
        return SMALL_FAILED;
    const small_result result = (small_result)setjmp(small_end);
    if (result == SMALL_RUNS)
        t->test(state);
    return t->tear_down && t->tear_down(state) != 0 ? SMALL_FAILED : result;
}

static int small_run(const CMUnitTest *tests, size_t n, int (*set_up)(void **state),
                     int (*tear_down)(void **state))
{
    static const char *const words[] = {"ok", "FAILED", "skipped"};
    void *state = NULL;
    int failed = set_up && set_up(&state) != 0;
    for (size_t i = 0; i < n && !(i == 0 && failed); i++) {
        const small_result result = small_run_one(&tests[i], &state);
        fprintf(stderr, "[ %s ] %s\n", words[result], tests[i].name);
        failed += result == SMALL_FAILED;
    }
    return failed + (tear_down && tear_down(&state) != 0);
}

#endif
