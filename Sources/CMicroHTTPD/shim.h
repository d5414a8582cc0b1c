#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <microhttpd.h>

// Starts a daemon with one thread, which does not accept connections itself, and returns a socket that listens for them
// on an IPv4 address, and its port; NULL with errno if that fails. MHD_start_daemon is variadic, which Swift cannot call.
static inline struct MHD_Daemon *waybill_start_daemon(
    const char *host, uint16_t *port, int *listening_socket, size_t connection_memory, unsigned int idle_seconds,
    void *(*on_target)(void *context, const char *target, struct MHD_Connection *connection),
    MHD_AccessHandlerCallback on_request, MHD_RequestCompletedCallback on_end, void *context
) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(*port)};
    errno = EINVAL;
    if (inet_pton(AF_INET, host, &address.sin_addr) != 1) return NULL;
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_SUPPRESS_DATE_NO_CLOCK, *port, NULL, NULL,
        on_request, context,
        MHD_OPTION_SOCK_ADDR, &address,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned int)INT_MAX,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
        MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
        MHD_OPTION_URI_LOG_CALLBACK, on_target, context,
        MHD_OPTION_NOTIFY_COMPLETED, on_end, context,
        MHD_OPTION_END
    );
    if (daemon == NULL) return NULL;
    *port = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    *listening_socket = MHD_quiesce_daemon(daemon);
    return daemon;
}
