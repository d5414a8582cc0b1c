#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "CPlatform.h"

#include <dlfcn.h>
#include <stdatomic.h>

// The frames of nghttp2, up to the members that are used here (nghttp2.h; the layout is part of its ABI).
typedef struct {
    size_t length;
    int32_t stream;
    uint8_t type;
    uint8_t flags;
} frame_header;

// HEADERS, the greatest type of a frame that can end a stream, and END_STREAM (RFC 9113, section 6).
enum { headers_frame = 1, end_stream = 1 };

typedef int (*frame_function)(void *session, const frame_header *frame, void *context);
typedef int (*data_function)(
    void *session, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t count, void *context);

static _Atomic(const void *) observed_library;
static _Atomic(waybill_stream_observer) observer;
static _Atomic(frame_function) frame_of_library;
static _Atomic(data_function) data_of_library;
static void *(*_Atomic stream_owner)(void *session, int32_t stream);

void waybill_observe_streams(const void *library, waybill_stream_observer function) {
    observer = function;
    observed_library = library;
}

bool waybill_observes_streams(void) {
    return frame_of_library != NULL && data_of_library != NULL;
}

#ifdef __linux__
static int frame_received(void *session, const frame_header *frame, void *context) {
    if (frame->type <= headers_frame && frame->flags & end_stream) {
        void *owner = stream_owner(session, frame->stream);
        if (owner) observer(owner, NULL, 0);
    }
    return frame_of_library(session, frame, context);
}

static int data_received(
    void *session, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t count, void *context
) {
    void *owner = stream_owner(session, stream);
    if (owner) observer(owner, bytes, count);
    return data_of_library(session, flags, stream, bytes, count, context);
}

static bool is_observed(const void *function) {
    Dl_info library, found;
    const void *address = observed_library;
    if (!address || !dladdr(address, &library) || !dladdr(function, &found)) return false;
    if (!stream_owner) {
        stream_owner = (void *(*)(void *, int32_t))dlsym(RTLD_NEXT, "nghttp2_session_get_stream_user_data");
    }
    return stream_owner && library.dli_fbase == found.dli_fbase;
}

// These take the place of nghttp2's functions of the same names, in the program and in the libraries that it is linked with,
// and call them. They are weak, so that a program that contains nghttp2 has nghttp2's own ones.

__attribute__((weak, visibility("default")))
void nghttp2_session_callbacks_set_on_frame_recv_callback(void *callbacks, frame_function function) {
    void (*set)(void *, frame_function) =
        (void (*)(void *, frame_function))dlsym(RTLD_NEXT, "nghttp2_session_callbacks_set_on_frame_recv_callback");
    if (is_observed((const void *)function)) {
        frame_of_library = function;
        function = frame_received;
    }
    if (set) set(callbacks, function);
}

__attribute__((weak, visibility("default")))
void nghttp2_session_callbacks_set_on_data_chunk_recv_callback(void *callbacks, data_function function) {
    void (*set)(void *, data_function) =
        (void (*)(void *, data_function))dlsym(RTLD_NEXT, "nghttp2_session_callbacks_set_on_data_chunk_recv_callback");
    if (is_observed((const void *)function)) {
        data_of_library = function;
        function = data_received;
    }
    if (set) set(callbacks, function);
}
#endif
