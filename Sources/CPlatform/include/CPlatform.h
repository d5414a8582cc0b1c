// System functions that Swift's own modules omit.

#ifndef WAYBILL_PLATFORM_H
#define WAYBILL_PLATFORM_H

#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif

#include <stdint.h>

/// Starts writing the data of an open file to disk, if the system supports this, so that a later wait for it (`fsync`)
/// is shorter.
void waybill_begin_sync(int descriptor);

/// An identifier of the current thread for `waybill_thread_time`, which any thread may use; -1 if the system has none.
int64_t waybill_current_thread(void);

/// The processor time that a thread has used, in nanoseconds; -1 if the thread has ended or the system does not know.
int64_t waybill_thread_time(int64_t thread);

/// Starts this many threads, which end at once, and returns the error number of the one that could not be started; 0 if
/// all were running at the same time.
int waybill_try_threads(int count);

/// How many bytes have arrived at a socket and have not been read yet; -1 if the system does not know.
int waybill_unread_bytes(int socket);

/// How many arguments the program was started with, its name included; 0 if that is unknown.
int waybill_argument_count(void);

/// An argument of the program; `NULL` if there is none.
const char *waybill_argument(int index);

#endif
