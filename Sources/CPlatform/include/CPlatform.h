// What of the system Swift's own modules leave out.

#ifndef WAYBILL_PLATFORM_H
#define WAYBILL_PLATFORM_H

#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif

/// Has the system begin to bring to the disk what was written to an open file, where it can be asked for that: a wait for it
/// later (`fsync`) is shorter then.
void waybill_begin_sync(int descriptor);

/// How many arguments the program was started with, its name included; 0 where that is not known.
int waybill_argument_count(void);

/// An argument of the program; `NULL` where there is none.
const char *waybill_argument(int index);

#endif
