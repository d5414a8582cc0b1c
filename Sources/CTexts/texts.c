#include "texts.h"

// C23 has `#embed`; this clang reads it in all versions of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char complete_bash[] = {
#embed "complete.bash"
};

struct embedded_file text_complete_bash(void) {
    return (struct embedded_file){complete_bash, sizeof complete_bash};
}

static const unsigned char complete_fish[] = {
#embed "complete.fish"
};

struct embedded_file text_complete_fish(void) {
    return (struct embedded_file){complete_fish, sizeof complete_fish};
}

static const unsigned char complete_zsh[] = {
#embed "complete.zsh"
};

struct embedded_file text_complete_zsh(void) {
    return (struct embedded_file){complete_zsh, sizeof complete_zsh};
}

static const unsigned char complete_changes[] = {
#embed "complete.changes"
};

struct embedded_file text_complete_changes(void) {
    return (struct embedded_file){complete_changes, sizeof complete_changes};
}

static const unsigned char first_manifest[] = {
#embed "first-manifest.yaml"
};

struct embedded_file text_first_manifest(void) {
    return (struct embedded_file){first_manifest, sizeof first_manifest};
}
