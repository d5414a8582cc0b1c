#include <stddef.h>

/// Text that is embedded in the program.
struct __attribute__((swift_attr("safe"))) explanation_text {
    const unsigned char *bytes;
    size_t size;
};

/// The files of the folder pages as they were when the program was built, each with a zero byte after it.
struct explanation_text explanation_pages(void);

/// functions.json as it was when the program was built.
struct explanation_text explanation_functions(void);

/// keys.json as it was when the program was built: the sections of the reference of keys.
struct explanation_text explanation_keys(void);
