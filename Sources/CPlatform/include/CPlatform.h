#ifndef WAYBILL_ALLOCATOR_H
#define WAYBILL_ALLOCATOR_H

#include <stdint.h>
#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

/// Has the process get its memory from the system in large pieces, to be called before other threads begin.
///
/// A manifest of thousands of steps takes tens of megabytes, and to ask for them page by page takes a tenth of the time of
/// checking it. What is not touched costs nothing. With one heap for all threads each of them has such pieces; the second
/// of two, which is for all threads but the main one, grows page by page. That is better where the other threads are about
/// something else: what loads libcurl and what reads the manifest would wait for each other 50 to 100 times.
static inline void waybill_take_memory_in_large_pieces(int heaps) {
#if defined(__GLIBC__)
    const size_t piece = (size_t)64 << 20;
    mallopt(M_ARENA_MAX, heaps);
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
#else
    (void)heaps;
#endif
}

#endif
