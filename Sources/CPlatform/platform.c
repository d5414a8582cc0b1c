#define _GNU_SOURCE

#include "CPlatform.h"

#include <stdint.h>
#include <stdlib.h>

#ifdef __linux__
#include <fcntl.h>
#endif

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

void waybill_take_memory_in_large_pieces(void) {
#if defined(__GLIBC__)
    const size_t piece = (size_t)64 << 20;
    mallopt(M_ARENA_MAX, 2);
    mallopt(M_TOP_PAD, (int)piece);
    mallopt(M_MMAP_THRESHOLD, (int)(piece / 2));
    // The heap is enlarged at once; the compiler must not leave that out.
    void *volatile some = malloc(1 << 20);
    free(some);
    // Whole pages of 2 MiB, where the system has some left; otherwise nothing happens.
    const uintptr_t mask = ((uintptr_t)2 << 20) - 1;
    const uintptr_t end = (uintptr_t)sbrk(0) & ~mask;
    const uintptr_t start = (end - piece + mask) & ~mask;
    if (end > start) madvise((void *)start, end - start, MADV_HUGEPAGE);
#endif
}

void waybill_begin_sync(int descriptor) {
#if defined(__linux__)
    sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
#else
    (void)descriptor;
#endif
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
