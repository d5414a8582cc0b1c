#include <stddef.h>

/// A file that is embedded in the program.
struct __attribute__((swift_attr("safe"))) report_file {
    const unsigned char *bytes;
    size_t size;
};

/// report.css as it was when the program was built.
struct report_file report_style(void);

/// report.js as it was when the program was built.
struct report_file report_script(void);
