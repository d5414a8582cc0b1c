// What of the system Swift's own modules leave out.

#ifndef WAYBILL_PLATFORM_H
#define WAYBILL_PLATFORM_H

#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif

#include <stdint.h>

/// Has the system begin to bring to the disk what was written to an open file, where it can be asked for that: a wait for it
/// later (`fsync`) is shorter then.
void waybill_begin_sync(int descriptor);

/// A number for the current thread that `waybill_thread_time` takes, from any thread; -1 if the system has none.
int64_t waybill_current_thread(void);

/// The processor time that a thread has used, in nanoseconds; -1 if the thread has ended or the system does not know.
int64_t waybill_thread_time(int64_t thread);

/// How many bytes have arrived at a socket that nobody has read yet; -1 if the system does not know.
int waybill_unread_bytes(int socket);

/// How many arguments the program was started with, its name included; 0 where that is not known.
int waybill_argument_count(void);

/// An argument of the program; `NULL` where there is none.
const char *waybill_argument(int index);

#endif
