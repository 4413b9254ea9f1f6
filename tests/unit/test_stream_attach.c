/*
 * Who may attach to a stream, who keeps others from it, and what a producer meets at the name.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "share_probe.h"

#define PATIENCE_MS 30000

static void await_hang_up(int fd)
{
    struct pollfd at = {.fd = fd};
    assert_int_equal(poll(&at, 1, PATIENCE_MS), 1);
}

static int n_descriptors(void)
{
    int n = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder))
        n++;
    (void)closedir(folder);
    return n;
}

static void names_and_sizes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    seen of = {0};
    sac_error err = {0};
    sac_producer *p = NULL, *second = NULL;
    sac_stream *s = NULL, *other = NULL;
    assert_failed(sac_producer_attach(&p, name, FRAME_BYTES, &err), SAC_E_IO, &err, "no stream");
    sac_stream_desc desc = shared_desc(&of);
    char own[sizeof name];
    memcpy(own, name, sizeof own);
    desc.shared = own;
    s = probe_open(&desc);
    memset(own, 'x', sizeof own - 1); /* it was copied */
    desc.shared = name;
    assert_failed(sac_stream_open(&other, &desc, &err), SAC_E_IO, &err, "another's");
    assert_failed(sac_producer_attach(NULL, name, 1, &err), SAC_E_INVALID, &err, "NULL");
    assert_failed(sac_producer_attach(&p, name, 1, &err), SAC_E_INVALID, &err, "frame_bytes");
    char longest[SAC_SHARE_NAME + 1];
    memset(longest, 'n', sizeof longest);
    longest[0] = '/';
    longest[SAC_SHARE_NAME] = '\0';
    const char *const names[] = {NULL, "", "x", "/", "/a/b", longest};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_failed(sac_producer_attach(&p, names[i], 1, &err), SAC_E_INVALID, &err, "shared");
    longest[SAC_SHARE_NAME - 1] = '\0';
    assert_failed(sac_producer_attach(&p, longest, 1, &err), SAC_E_IO, &err, "no stream");

    p = attach();
    assert_failed(sac_producer_attach(&second, name, FRAME_BYTES, &err), SAC_E_IO, &err,
                  "another producer");
    sac_producer_detach(&p);
    p = attach();
    sac_producer_detach(&p);
    sac_producer_detach(&p);
    sac_producer_detach(NULL);
    sac_stream_close(&s);
    assert_failed(sac_producer_attach(&p, name, FRAME_BYTES, &err), SAC_E_IO, &err, "no stream");
}

/* A stream of an attacker's, who listens and gives this reply to one producer. */
typedef struct impostor {
    int listener, n_files, files[2];
    size_t bytes;
    sac_share_reply reply;
} impostor;

static void *reply_once(void *arg)
{
    const impostor *of = arg;
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))] = {0};
    struct iovec from = {.iov_base = (void *)(uintptr_t)&of->reply, .iov_len = of->bytes};
    struct msghdr message = {.msg_iov = &from, .msg_iovlen = 1};
    const int fd = accept(of->listener, NULL, NULL);
    sac_share_request request;
    (void)!recv(fd, &request, sizeof request, 0);
    if (of->n_files) {
        message.msg_control = control;
        message.msg_controllen = (socklen_t)CMSG_SPACE((size_t)of->n_files * sizeof(int));
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = (socklen_t)CMSG_LEN((size_t)of->n_files * sizeof(int));
        memcpy(CMSG_DATA(head), of->files, (size_t)of->n_files * sizeof(int));
    }
    if (of->bytes)
        (void)!sendmsg(fd, &message, MSG_NOSIGNAL);
    (void)close(fd);
    return NULL;
}

static void assert_impostor(const impostor *from, sac_status wanted, const char *word)
{
    impostor of = *from;
    sac_error err = {0};
    sac_producer *p = NULL;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, reply_once, &of), 0);
    const sac_status status = sac_producer_attach(&p, name, FRAME_BYTES, &err);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_failed(status, wanted, &err, word);
    assert_null(p);
}

static int make_memory(uint64_t bytes, int seals)
{
    const int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
    return fd;
}

static void reply_that_is_no_streams_is_refused(void **state)
{
    (void)state;
    impostor good = {.listener = listen_at_name(4), .bytes = sizeof good.reply, .n_files = 1};
    good.reply.magic = SAC_SHARE_MAGIC;
    good.reply.version = SAC_SHARE_VERSION;
    assert_true(sac_share_lay_out(&good.reply.shape, FRAME_BYTES, 4, 3, SAC_STREAM_WAIT, 50));
    const uint64_t bytes = good.reply.shape.bytes;
    good.files[0] = make_memory(bytes, F_SEAL_SHRINK);
    good.files[1] = good.files[0];
    const int before = n_descriptors();
    impostor bad;
#define REFUSED(what, status, word)                                                                \
    bad = good;                                                                                    \
    bad.what;                                                                                      \
    assert_impostor(&bad, status, word)
    REFUSED(bytes = 0, SAC_E_IO, "hung up");
    REFUSED(bytes = 1, SAC_E_FORMAT, "does not belong to a stream");
    REFUSED(bytes = sizeof good.reply - 1, SAC_E_FORMAT, "does not belong to a stream");
    REFUSED(reply.magic = 1, SAC_E_FORMAT, "does not belong to a stream");
    REFUSED(reply.version = 1, SAC_E_FORMAT, "version");
    REFUSED(reply.answer = 77, SAC_E_FORMAT, "does not belong to a stream");
    REFUSED(reply.answer = SAC_SHARE_TAKEN, SAC_E_IO, "another producer");
    REFUSED(reply.shape.capacity = UINT32_MAX, SAC_E_FORMAT, "does not belong to a stream");
    REFUSED(reply.shape.capacity = 0, SAC_E_FORMAT, "does not belong to a stream");
    REFUSED(reply.shape.n_slots = 1, SAC_E_FORMAT, "does not belong to a stream");
    REFUSED(reply.shape.slot_bytes *= 2, SAC_E_FORMAT, "does not belong to a stream");
    REFUSED(reply.shape.slots_at = 0, SAC_E_FORMAT, "does not belong to a stream");
    REFUSED(reply.shape.bytes -= 1, SAC_E_FORMAT, "does not belong to a stream");
    REFUSED(reply.shape.frame_bytes = UINT64_MAX, SAC_E_FORMAT, "does not belong to a stream");
    REFUSED(reply.shape.policy = -1, SAC_E_FORMAT, "does not belong to a stream");
    REFUSED(reply.shape.spin_us = INT32_MIN, SAC_E_FORMAT, "does not belong to a stream");
    REFUSED(n_files = 0, SAC_E_FORMAT, "does not belong to a stream");
    REFUSED(files[0] = good.listener, SAC_E_FORMAT, "does not belong to a stream");
    const int short_one = make_memory(bytes - 1, F_SEAL_SHRINK), open_one = make_memory(bytes, 0);
    REFUSED(files[0] = short_one, SAC_E_FORMAT, "does not belong to a stream");
    REFUSED(files[0] = open_one, SAC_E_FORMAT,
            "does not belong to a stream"); /* it could be cut short */
#undef REFUSED
    (void)close(short_one);
    (void)close(open_one);
    impostor two = good; /* more than one descriptor: none of them stays */
    two.n_files = 2;
    two.reply.answer = SAC_SHARE_TAKEN;
    assert_impostor(&two, SAC_E_IO, "another producer");
    assert_int_equal(n_descriptors(), before);
    (void)close(good.files[0]);
    (void)close(good.listener);
}

/* In a child, since it takes its time: 0 where the attach fails with SAC_E_IO, and names a limit.
 */
static pid_t fork_attach(void)
{
    const pid_t child = fork_child();
    if (child != 0)
        return child;
    sac_error err = {0};
    sac_producer *p = NULL;
    _exit(sac_producer_attach(&p, name, FRAME_BYTES, &err) == SAC_E_IO && strstr(err.text, "within")
              ? 0
              : 1);
}

static void join(pid_t child)
{
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* A stream that was halted accepts connections, by the system, and says nothing; when as many wait
 * as may, not even that. */
static void attach_to_a_stream_that_says_nothing_ends(void **state)
{
    (void)state;
    const int listener = listen_at_name(0);
    const pid_t first = fork_attach();
    struct pollfd at = {.fd = listener, .events = POLLIN};
    assert_int_equal(poll(&at, 1, PATIENCE_MS), 1); /* it has connected */
    const pid_t second = fork_attach();
    join(first);
    join(second);
    (void)close(listener);
}

static void silent_callers_keep_nobody_out(void **state)
{
    (void)state;
    enum { N = 100 };
    both *b = open_both();
    seen of = {0};
    const sac_stream_desc desc = shared_desc(&of);
    sac_stream *s = probe_open(&desc);
    int callers[N];
    for (int i = 0; i < N; i++)
        callers[i] = dial();
    for (int i = 0; i < N; i++)
        assert_true(callers[i] >= 0);
    sac_producer *p = attach();
    assert_int_equal(send_next(p, b), SAC_OK);
    for (int i = 0; i < N; i++) {
        await_hang_up(callers[i]); /* nobody is heard for long */
        (void)close(callers[i]);
    }
    assert_int_equal(send_next(p, b), SAC_OK); /* and the producer stays */
    sac_producer_detach(&p);
    sac_stream_stop(s);
    assert_stopped(s, 2, 0, 2, 0, 0);
    sac_stream_close(&s);
    (void)munmap(b, sizeof *b);
}

/* Anything at all is said to the stream: it answers what it understands, and hangs up. */
static void callers_that_talk_nonsense_are_sent_away(void **state)
{
    (void)state;
    seen of = {0};
    const sac_stream_desc desc = shared_desc(&of);
    sac_stream *s = probe_open(&desc);
    static char said[60000];
    sac_share_request request = {.magic = SAC_SHARE_MAGIC, .version = SAC_SHARE_VERSION + 1};
    sac_share_reply reply;
    const size_t sizes[] = {0, 1, 15, 16, sizeof request, sizeof request + 1, sizeof said};
    const int before = n_descriptors();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int right = 0; right < 2; right++) {
            memcpy(said, &request, sizeof request);
            said[0] = right ? said[0] : (char)~said[0];
            const int fd = dial();
            assert_true(fd >= 0);
            assert_int_equal(send(fd, said, sizes[i], MSG_NOSIGNAL), (ssize_t)sizes[i]);
            await_hang_up(fd);
            const ssize_t n = recv(fd, &reply, sizeof reply, MSG_DONTWAIT);
            assert_int_equal(n, right && sizes[i] >= 16 ? (ssize_t)sizeof reply : 0);
            if (n > 0)
                assert_int_equal(reply.answer, SAC_SHARE_OTHER_VERSION);
            (void)close(fd);
        }
    /* Descriptors that nobody asked for; and a producer that goes on talking. */
    impostor of_many = {.n_files = 2, .files = {0, 1}, .bytes = sizeof of_many.reply};
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))] = {0};
    struct iovec from = {.iov_base = &of_many.reply, .iov_len = sizeof of_many.reply};
    struct msghdr message = {.msg_iov = &from, .msg_iovlen = 1, .msg_control = control};
    message.msg_controllen = sizeof control;
    *CMSG_FIRSTHDR(&message) = (struct cmsghdr){
        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(2 * sizeof(int))};
    memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), of_many.files, sizeof of_many.files);
    const int fd = dial();
    assert_int_equal(sendmsg(fd, &message, MSG_NOSIGNAL), (ssize_t)sizeof of_many.reply);
    await_hang_up(fd);
    (void)close(fd);
    sac_share_place place;
    assert_int_equal(sac_share_ask(&place, name, FRAME_BYTES, NULL), SAC_OK);
    while (send(place.fd, said, sizeof said, MSG_NOSIGNAL | MSG_DONTWAIT) > 0) {
    }
    assert_int_equal(errno, EAGAIN);
    (void)close(place.fd);
    (void)close(place.block_fd);
    sac_producer *p = attach();
    sac_producer_detach(&p);
    /* The last one's end of the connection may still be here. */
    assert_in_range(n_descriptors(), before, before + 1);
    sac_stream_close(&s);
}

/* No descriptors are left to accept a caller with: it waits until there are. */
static void callers_wait_where_descriptors_ran_out(void **state)
{
    (void)state;
    seen of = {0};
    struct rlimit before, none;
    const sac_stream_desc desc = shared_desc(&of);
    sac_stream *s = probe_open(&desc);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const int one = dial(), two = dup(one);
    none = before;
    none.rlim_cur = (rlim_t)two + 1; /* the stream's end of the first may be beyond it */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    (void)close(two);
    const int waits = dial();
    assert_true(one >= 0 && waits >= 0);
    const sac_share_request request = {SAC_SHARE_MAGIC, SAC_SHARE_VERSION, 0, FRAME_BYTES};
    assert_int_equal(send(waits, &request, sizeof request, MSG_NOSIGNAL), (ssize_t)sizeof request);
    struct pollfd at = {.fd = waits, .events = POLLIN};
    assert_int_equal(poll(&at, 1, 300), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(poll(&at, 1, PATIENCE_MS), 1);
    (void)close(one);
    (void)close(waits);
    sac_stream_close(&s);
}

/* A worker of the program, say, that lives on; it runs when this returns. */
static pid_t fork_idle(void)
{
    int up[2];
    char word = 0;
    assert_int_equal(pipe(up), 0);
    const pid_t child = fork_child();
    if (child != 0) {
        (void)close(up[1]);
        assert_int_equal(read(up[0], &word, 1), 1);
        (void)close(up[0]);
        return child;
    }
    (void)!write(up[1], &word, 1);
    for (;;)
        (void)pause();
}

static void end(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void child_of_the_streams_process_does_not_keep_its_name(void **state)
{
    (void)state;
    both *b = open_both();
    seen of = {0};
    const sac_stream_desc desc = shared_desc(&of);
    sac_stream *s = probe_open(&desc);
    const pid_t before = fork_idle();
    raw r = open_raw();
    sac_producer *p = attach();
    const pid_t after = fork_idle(); /* has the producer's end, too: this process is both */
    sac_producer_detach(&p);
    sac_stream_close(&s);
    s = probe_open(&desc);
    p = attach();
    assert_int_equal(send_next(p, b), SAC_OK);
    sac_producer_detach(&p);
    sac_stream_stop(s);
    assert_stopped(s, 1, 0, 1, 0, 0);
    sac_stream_close(&s);
    end(before);
    end(after);
    close_raw(&r);
    (void)munmap(b, sizeof *b);
}

/* A child as another user; what it returns is its exit status. */
static int as_nobody(int (*what)(int to_parent, int from_parent), void (*meanwhile)(void))
{
    int up[2], down[2], status = -1;
    char word;
    assert_int_equal(pipe(up), 0);
    assert_int_equal(pipe(down), 0);
    const pid_t child = fork_child();
    if (child == 0) {
        (void)close(down[1]);
        _exit(setresuid(65534, 65534, 65534) != 0 ? 99 : what(up[1], down[0]));
    }
    (void)close(up[1]);
    (void)close(down[0]);
    if (meanwhile && read(up[0], &word, 1) == 1)
        meanwhile();
    (void)close(down[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    (void)close(up[0]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int attach_as_nobody(int to_parent, int from_parent)
{
    (void)to_parent, (void)from_parent;
    sac_error err = {0};
    sac_producer *p = NULL;
    if (sac_producer_attach(&p, name, FRAME_BYTES, &err) != SAC_E_IO ||
        !strstr(err.text, "another user's"))
        return 1;
    /* Nor by hand. */
    const int fd = dial();
    const sac_share_request request = {SAC_SHARE_MAGIC, SAC_SHARE_VERSION, 0, FRAME_BYTES};
    sac_share_reply reply;
    (void)!send(fd, &request, sizeof request, MSG_NOSIGNAL);
    return recv(fd, &reply, sizeof reply, 0) <= 0 ? 0 : 2;
}

static int open_as_nobody(int to_parent, int from_parent)
{
    char word;
    seen of = {0};
    sac_stream *s = NULL;
    const sac_stream_desc desc = shared_desc(&of);
    if (sac_stream_open(&s, &desc, NULL) || write(to_parent, "", 1) != 1)
        return 1;
    (void)!read(from_parent, &word, 1);
    sac_stream_close(&s);
    return 0;
}

static void attach_and_detach(void)
{
    sac_producer *p = attach();
    sac_producer_detach(&p);
}

static void producer_of_another_user_is_refused_but_root(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip_test("it takes root to become somebody else");
    seen of = {0};
    assert_int_equal(as_nobody(open_as_nobody, attach_and_detach), 0);
    const sac_stream_desc desc = shared_desc(&of);
    sac_stream *s = probe_open(&desc);
    assert_int_equal(as_nobody(attach_as_nobody, NULL), 0);
    sac_stream_close(&s);
}

static void open_without_descriptors_leaves_nothing_behind(void **state)
{
    (void)state;
    seen of = {0};
    sac_error err = {0};
    struct rlimit before, few;
    sac_stream *s = NULL;
    const sac_stream_desc desc = shared_desc(&of);
    const int n = n_descriptors();
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const int lowest = dup(0);
    (void)close(lowest);
    few = before;
    for (few.rlim_cur = (rlim_t)lowest; !s; few.rlim_cur++) {
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        const sac_status status = sac_stream_open(&s, &desc, &err);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
        if (!s) {
            assert_true(status == SAC_E_IO || status == SAC_E_NOMEM);
            assert_int_equal(n_descriptors(), n);
        }
    }
    sac_stream_close(&s);
    assert_int_equal(n_descriptors(), n);
}

int main(void)
{
    make_name();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(producer_of_another_user_is_refused_but_root),
        cmocka_unit_test(attach_to_a_stream_that_says_nothing_ends),
        cmocka_unit_test(names_and_sizes_that_do_not_fit_are_refused),
        cmocka_unit_test(reply_that_is_no_streams_is_refused),
        cmocka_unit_test(silent_callers_keep_nobody_out),
        cmocka_unit_test(callers_that_talk_nonsense_are_sent_away),
        cmocka_unit_test(callers_wait_where_descriptors_ran_out),
        cmocka_unit_test(child_of_the_streams_process_does_not_keep_its_name),
        cmocka_unit_test(open_without_descriptors_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
