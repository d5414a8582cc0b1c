#define _GNU_SOURCE

#include "CPlatform.h"

#include <stddef.h>

#include <pthread.h>
#include <sys/ioctl.h>
#include <time.h>

#ifdef __linux__
#include <fcntl.h>
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

static void *pass(void *gate) {
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

int waybill_try_threads(int count) {
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
    return failure;
}

int waybill_unread_bytes(int socket) {
    int count;
    return ioctl(socket, FIONREAD, &count) == 0 ? count : -1;
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
