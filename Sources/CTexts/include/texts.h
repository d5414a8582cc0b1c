#include <stddef.h>

/// A file that is embedded in the program.
struct __attribute__((swift_attr("safe"))) embedded_file {
    const unsigned char *bytes;
    size_t size;
};

/// complete.bash as it was when the program was built.
struct embedded_file text_complete_bash(void);

/// complete.fish as it was when the program was built.
struct embedded_file text_complete_fish(void);

/// complete.zsh as it was when the program was built.
struct embedded_file text_complete_zsh(void);

/// complete.changes as it was when the program was built.
struct embedded_file text_complete_changes(void);

/// first-manifest.yaml as it was when the program was built.
struct embedded_file text_first_manifest(void);
