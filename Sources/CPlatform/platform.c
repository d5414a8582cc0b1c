#define _GNU_SOURCE

#include "CPlatform.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/eventfd.h>
#endif

#ifdef __APPLE__
#include <mach/mach.h>
#endif

void waybill_begin_sync(int descriptor) {
#if defined(__linux__)
    sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
#else
    (void)descriptor;
#endif
}

void waybill_expect_sequential_reads(int descriptor) {
#if defined(__linux__)
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
#else
    (void)descriptor;
#endif
}

int waybill_path_only(void) {
#if defined(__linux__)
    return O_PATH;
#else
    return O_RDONLY;
#endif
}

const char *waybill_caches_folder(void) {
#if defined(__APPLE__)
    return "Library/Caches";
#else
    return ".cache";
#endif
}

int waybill_get_file_limit(struct rlimit *limit) {
    return getrlimit(RLIMIT_NOFILE, limit);
}

int waybill_set_file_limit(const struct rlimit *limit) {
    return setrlimit(RLIMIT_NOFILE, limit);
}

bool waybill_threads_may_fail(void) {
    struct rlimit processes, memory, data;
    // Trying a thread takes 50 µs. Each has a stack of 8 MiB and memory for its allocations.
    return (getrlimit(RLIMIT_NPROC, &processes) == 0 && processes.rlim_cur < 1024)
        || (getrlimit(RLIMIT_AS, &memory) == 0 && memory.rlim_cur != RLIM_INFINITY)
        || (getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur != RLIM_INFINITY);
}

int64_t waybill_current_thread(void) {
#if defined(__APPLE__)
    return (int64_t)pthread_mach_thread_np(pthread_self());
#else
    clockid_t clock;
    return pthread_getcpuclockid(pthread_self(), &clock) == 0 ? (int64_t)clock : -1;
#endif
}

int64_t waybill_thread_time(int64_t thread) {
#if defined(__APPLE__)
    thread_basic_info_data_t info;
    mach_msg_type_number_t count = THREAD_BASIC_INFO_COUNT;
    if (thread_info((thread_act_t)thread, THREAD_BASIC_INFO, (thread_info_t)&info, &count) != KERN_SUCCESS) return -1;
    const int64_t seconds = (int64_t)info.user_time.seconds + info.system_time.seconds;
    const int64_t microseconds = (int64_t)info.user_time.microseconds + info.system_time.microseconds;
    return seconds * 1000000000 + microseconds * 1000;
#else
    struct timespec used;
    if (clock_gettime((clockid_t)thread, &used) != 0) return -1;
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
#endif
}

bool waybill_raise_stacks(size_t bytes) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0) return true;
    if (limit.rlim_cur < bytes) {
        // The system applies it to the first thread when its stack grows.
        limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
        setrlimit(RLIMIT_STACK, &limit);
    }
#if defined(__GLIBC__)
    // The stacks of other threads have the size of the limit when the program was started.
    pthread_attr_t attributes;
    size_t size;
    if (pthread_getattr_default_np(&attributes) == 0) {
        if (pthread_attr_getstacksize(&attributes, &size) == 0 && size < bytes
            && pthread_attr_setstacksize(&attributes, bytes) == 0)
            pthread_setattr_default_np(&attributes);
        pthread_attr_destroy(&attributes);
    }
#endif
    return limit.rlim_cur >= bytes;
}

static void *pass(void *gate) {
    // The C library reserves memory for the allocations of the thread.
    void *volatile allocated = malloc(64);
    free(allocated);
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

int waybill_try_threads(int count, size_t bytes) {
#if defined(__GLIBC__)
    // Otherwise, each thread reserves 64 MiB for its allocations, of which it uses little.
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) mallopt(M_ARENA_MAX, 2);
#endif
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return errno;
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t threads[count];
    int started = 0, failure = 0;
    pthread_mutex_lock(&gate);
    while (started < count && failure == 0) {
        failure = pthread_create(&threads[started], NULL, pass, &gate);
        if (failure == 0) started++;
    }
    pthread_mutex_unlock(&gate);
    while (started > 0) pthread_join(threads[--started], NULL);
    munmap(memory, bytes);
    return failure;
}

int waybill_open_wake_up(int *readable, int *writable) {
#if defined(__linux__)
    *readable = *writable = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return *readable < 0 ? -1 : 0;
#else
    int ends[2];
    if (pipe(ends) != 0) return -1;
    for (int end = 0; end < 2; end++) {
        fcntl(ends[end], F_SETFL, O_NONBLOCK);
        fcntl(ends[end], F_SETFD, FD_CLOEXEC);
    }
    *readable = ends[0];
    *writable = ends[1];
    return 0;
#endif
}

int waybill_open_socket(void) {
    const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    if (descriptor < 0) return -1;
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
#if defined(__APPLE__)
    const int one = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &one, sizeof one);
#endif
    return descriptor;
}

ssize_t waybill_send(int socket, const void *bytes, size_t count, bool waits) {
    int flags = waits ? 0 : MSG_DONTWAIT;
#if defined(__linux__)
    flags |= MSG_NOSIGNAL;
#endif
    return send(socket, bytes, count, flags);
}

int waybill_unread_bytes(int socket) {
    int count;
    return ioctl(socket, FIONREAD, &count) == 0 ? count : -1;
}

void waybill_close_from(int first, posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes) {
#if defined(__APPLE__)
    (void)first;
    (void)actions;
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_CLOEXEC_DEFAULT);
#else
    (void)attributes;
    // Descriptors that are not open cause no error.
    const int end = getdtablesize() < 8192 ? getdtablesize() : 8192;
    for (int descriptor = first; descriptor < end; descriptor++) posix_spawn_file_actions_addclose(actions, descriptor);
#endif
}

int waybill_start(
    pid_t *process,
    const char *program,
    char *const arguments[],
    char *const environment[],
    const char *folder,
    int output,
    int errors
) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure != 0) return failure;
    if ((failure = posix_spawnattr_init(&attributes)) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return failure;
    }
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    waybill_close_from(STDERR_FILENO + 1, &actions, &attributes);
    // What this process ignores, a program would ignore too.
    sigset_t ignored, none;
    sigemptyset(&none);
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGPIPE);
    sigaddset(&ignored, SIGXFSZ);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &ignored);
    posix_spawnattr_setpgroup(&attributes, 0);
    short flags = 0;
    posix_spawnattr_getflags(&attributes, &flags);
    flags |= POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    posix_spawnattr_setflags(&attributes, flags);
    failure = posix_spawn(process, program, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

void *waybill_open_library(const void *address) {
    Dl_info library;
    void *opened = dladdr(address, &library) != 0 ? dlopen(library.dli_fname, RTLD_NOW | RTLD_NOLOAD) : NULL;
    // The program need not have a name that dlopen knows.
    return opened != NULL ? opened : dlopen(NULL, RTLD_NOW);
}

bool waybill_is_ignored(int signal) {
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static int argument_count = 0;
static char **arguments = NULL;

// Called before main, with main's arguments (glibc and Darwin).
#if defined(__GLIBC__) || defined(__APPLE__)
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
    argument_count = count;
    arguments = values;
}
#endif

int waybill_argument_count(void) {
    return argument_count;
}

const char *waybill_argument(int index) {
    return index >= 0 && index < argument_count ? arguments[index] : NULL;
}
