#ifndef WAYBILL_SQLITE_H
#define WAYBILL_SQLITE_H

#include <sqlite3.h>
#include <stddef.h>

/// Binds a copy of a text in UTF-8. `SQLITE_TRANSIENT` is a cast that Swift does not import.
static inline int waybill_bind_text(sqlite3_stmt *statement, int index, const void *text, size_t size) {
    return sqlite3_bind_text64(statement, index, size == 0 ? "" : text, size, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Binds a copy of some bytes. A null pointer would bind NULL.
static inline int waybill_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, size_t size) {
    return size == 0
        ? sqlite3_bind_zeroblob(statement, index, 0)
        : sqlite3_bind_blob64(statement, index, bytes, size, SQLITE_TRANSIENT);
}

#endif
