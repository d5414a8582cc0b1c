// GETs of one URL with libcurl's multi interface, driven by epoll and curl_multi_socket_action: what Waybill's own
// speed is measured against. Prints the requests per second.
//
//     gcc -O2 -Wall -Wextra -o curl_multi_baseline curl_multi_baseline.c -lcurl
//     ./curl_multi_baseline URL COUNT AT_ONCE

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>

static int epoll_descriptor;
static long timeout_milliseconds = -1;
static size_t bytes_received;

static int watch_socket(CURL *easy, curl_socket_t socket, int what, void *owner, void *known) {
    (void)easy;
    struct epoll_event event = {0};
    event.data.fd = socket;
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(epoll_descriptor, EPOLL_CTL_DEL, socket, &event);
        curl_multi_assign(owner, socket, NULL);
        return 0;
    }
    if (what & CURL_POLL_IN) event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
    epoll_ctl(epoll_descriptor, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event);
    curl_multi_assign(owner, socket, owner);
    return 0;
}

static int set_timer(CURLM *multi, long milliseconds, void *owner) {
    (void)multi;
    (void)owner;
    timeout_milliseconds = milliseconds;
    return 0;
}

static size_t receive(char *bytes, size_t size, size_t count, void *owner) {
    (void)bytes;
    (void)owner;
    bytes_received += size * count;
    return size * count;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void start(CURLM *multi, CURL *easy, const char *url) {
    curl_easy_reset(easy);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, 60000L);
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
    curl_multi_add_handle(multi, easy);
}

int main(int count, char **arguments) {
    if (count != 4) {
        fprintf(stderr, "usage: %s URL COUNT AT_ONCE\n", arguments[0]);
        return 64;
    }
    const char *url = arguments[1];
    const int total = atoi(arguments[2]);
    const int at_once = atoi(arguments[3]);
    int started = 0, finished = 0, failed = 0, running = 0;

    curl_global_init(CURL_GLOBAL_DEFAULT);
    epoll_descriptor = epoll_create1(EPOLL_CLOEXEC);
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, multi);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer);

    const double begin = seconds();
    for (; started < at_once && started < total; started++) start(multi, curl_easy_init(), url);

    while (finished < total) {
        struct epoll_event events[256];
        const int ready = epoll_wait(epoll_descriptor, events, 256, (int)timeout_milliseconds);
        if (ready <= 0) curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
        for (int index = 0; index < ready; index++) {
            int mask = 0;
            if (events[index].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) mask |= CURL_CSELECT_IN;
            if (events[index].events & EPOLLOUT) mask |= CURL_CSELECT_OUT;
            curl_multi_socket_action(multi, events[index].data.fd, mask, &running);
        }
        int left;
        CURLMsg *message;
        while ((message = curl_multi_info_read(multi, &left)) != NULL) {
            CURL *easy = message->easy_handle;
            long status = 0;
            curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
            if (message->data.result != CURLE_OK || status != 200) failed++;
            finished++;
            curl_multi_remove_handle(multi, easy);
            if (started < total) {
                start(multi, easy, url);
                started++;
            } else {
                curl_easy_cleanup(easy);
            }
        }
    }

    const double elapsed = seconds() - begin;
    printf("%d requests, %d at once, %d failed, %zu bytes, %.2f s, %.0f requests/s\n", finished, at_once, failed,
           bytes_received, elapsed, finished / elapsed);
    curl_multi_cleanup(multi);
    curl_global_cleanup();
    return failed == 0 ? 0 : 1;
}
