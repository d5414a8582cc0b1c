#include <stddef.h>

/// The files of the folder pages as they were when the program was built, each with a zero byte after it.
struct __attribute__((swift_attr("safe"))) explanation_pages {
    const unsigned char *bytes;
    size_t size;
};

struct explanation_pages explanation_pages(void);
