// System functions that Swift's own modules omit, and those that differ between systems.

#ifndef WAYBILL_PLATFORM_H
#define WAYBILL_PLATFORM_H

#ifdef __linux__
#include <sys/epoll.h>
#endif

#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

/// Starts writing the data of an open file to disk, if the system supports this, so that a later wait for it (`fsync`)
/// is shorter.
void waybill_begin_sync(int descriptor);

/// Tells the system that an open file will be read from its start to its end, if the system supports this.
void waybill_expect_sequential_reads(int descriptor);

/// When the contents of a file were last changed.
static inline struct timespec waybill_modification_time(const struct stat *status) {
#ifdef __APPLE__
    return status->st_mtimespec;
#else
    return status->st_mtim;
#endif
}

/// The flag of `openat` with which a folder that cannot be listed can be passed through, if the system has one.
int waybill_path_only(void);

/// The folder of caches in a user's home folder.
const char *waybill_caches_folder(void);

/// Gets the limit of open files of this process, as `getrlimit` does.
int waybill_get_file_limit(struct rlimit *limit);

/// Sets the limit of open files of this process, as `setrlimit` does.
int waybill_set_file_limit(const struct rlimit *limit);

/// Whether a limit of processes or memory is so low that threads may fail to start.
bool waybill_threads_may_fail(void);

/// Raises the size of the stacks of the current thread, which must be the first one, and of threads that are started later,
/// to this many bytes. Returns false if the limit does not allow the former.
bool waybill_raise_stacks(size_t bytes);

/// An identifier of the current thread for `waybill_thread_time`, which any thread may use; -1 if the system has none.
int64_t waybill_current_thread(void);

/// The processor time that a thread has used, in nanoseconds; -1 if the thread has ended or the system does not know.
int64_t waybill_thread_time(int64_t thread);

/// Starts this many threads, which end at once, and returns the error number of the one that could not be started; 0 if
/// all were running at the same time, with this much memory for other purposes.
int waybill_try_threads(int count, size_t bytes);

/// Opens a descriptor to wait for and one that makes it readable when written to, which may be the same (an `eventfd`).
/// Neither blocks. Returns -1 with `errno` if that fails.
int waybill_open_wake_up(int *readable, int *writable);

/// The type of datagram sockets.
static const int waybill_datagram = SOCK_DGRAM;

/// Opens a socket for TCP over IPv4 that programs started later do not have; -1 with `errno` if that fails.
int waybill_open_socket(void);

/// Sends bytes as `send` does, but never raises SIGPIPE for a socket of `waybill_open_socket`.
ssize_t waybill_send(int socket, const void *bytes, size_t count, bool waits);

/// How many bytes have arrived at a socket and have not been read yet; -1 if the system does not know.
int waybill_unread_bytes(int socket);

/// Closes the descriptors from a number on in a program that `posix_spawn` starts.
void waybill_close_from(int first, posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes);

/// Starts a program in a folder, with a process group of its own, an empty standard input, these descriptors as its output
/// and errors, and no others. No signal is blocked. Returns an error number; 0 if it was started.
int waybill_start(
    pid_t *process,
    const char *program,
    char *const arguments[],
    char *const environment[],
    const char *folder,
    int output,
    int errors
);

/// Receives the owner of an HTTP/2 stream on which a part of a body has arrived; no bytes at the end of the stream.
typedef void (*waybill_stream_observer)(void *owner, const uint8_t *bytes, size_t count);

/// Passes the data that a library receives on its HTTP/2 streams, and the ends of the streams, to a function before the library
/// receives them. The library is the one that contains an address. It must be linked with nghttp2, and set the owner of each
/// stream.
void waybill_observe_streams(const void *library, waybill_stream_observer function);

/// Whether streams are observed: not before the first connection, nor if the library contains its own nghttp2.
bool waybill_observes_streams(void);

/// Opens the library that contains an address, to look up functions in it and in those that it is linked with. That may be
/// the program. Returns NULL if there is no such library.
void *waybill_open_library(const void *address);

/// Whether this process ignores a signal.
bool waybill_is_ignored(int signal);

/// How many arguments the program was started with, its name included; 0 if that is unknown.
int waybill_argument_count(void);

/// An argument of the program; `NULL` if there is none.
const char *waybill_argument(int index);

#endif
