#define _GNU_SOURCE

#include "CPlatform.h"

#include <stddef.h>

#ifdef __linux__
#include <fcntl.h>
#endif

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
