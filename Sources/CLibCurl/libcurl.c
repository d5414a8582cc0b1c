// How libcurl comes into the process, and its functions as the rest of the program calls them.

// libcurl's own check of what its options are given needs to know them when it compiles.
#define CURL_DISABLE_TYPECHECK
#include "CLibCurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "linked.h"

#ifdef __APPLE__
#define LIBRARY "libcurl.4.dylib"
#else
#define LIBRARY "libcurl.so.4"
#endif

// Each function's address, with the type that libcurl's header gives it.
struct functions {
#define FIELD(name) __typeof__(&(name)) name;
    WAYBILL_CURL_FUNCTIONS(FIELD)
    WAYBILL_OTHER_CURL_FUNCTIONS(FIELD)
#undef FIELD
};

static struct functions functions;
static char problem[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;

#ifdef WAYBILL_LINKS_LIBCURL

static bool open_library(void) { return true; }

static void *find(const char *name) { return waybill_linked_function(name); }

#else

static void *handle;

static bool open_library(void) {
    handle = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (!handle)
        snprintf(problem, sizeof problem, "cannot load %s; please install libcurl 4 (on Debian: libcurl4)", dlerror());
    return handle;
}

static void *find(const char *name) { return dlsym(handle, name); }

#endif

static void load(void) {
    if (!open_library()) return;
#define FIND(name) \
    functions.name = (__typeof__(functions.name))find(#name); \
    if (!functions.name && !problem[0]) snprintf(problem, sizeof problem, "there is no %s in %s", #name, LIBRARY);
    WAYBILL_CURL_FUNCTIONS(FIND)
    WAYBILL_OTHER_CURL_FUNCTIONS(FIND)
#undef FIND
}

const char *waybill_load_libcurl(void) {
    pthread_once(&once, load);
    return problem[0] ? problem : NULL;
}

static const struct functions *library(void) {
    const char *reason = waybill_load_libcurl();
    if (reason) {
        fprintf(stderr, "%s\n", reason);
        _Exit(127);
    }
    return &functions;
}

void *waybill_loaded_function(const char *name) {
    library();
    return find(name);
}

CURL *curl_easy_init(void) { return library()->curl_easy_init(); }

void curl_easy_cleanup(CURL *easy) { library()->curl_easy_cleanup(easy); }

void curl_easy_reset(CURL *easy) { library()->curl_easy_reset(easy); }

CURLcode curl_easy_pause(CURL *easy, int directions) { return library()->curl_easy_pause(easy, directions); }

const char *curl_easy_strerror(CURLcode code) { return library()->curl_easy_strerror(code); }

void curl_free(void *memory) { library()->curl_free(memory); }

CURLcode curl_global_init(long parts) { return library()->curl_global_init(parts); }

CURLM *curl_multi_init(void) { return library()->curl_multi_init(); }

CURLMcode curl_multi_cleanup(CURLM *multi) { return library()->curl_multi_cleanup(multi); }

CURLMcode curl_multi_add_handle(CURLM *multi, CURL *easy) { return library()->curl_multi_add_handle(multi, easy); }

CURLMcode curl_multi_remove_handle(CURLM *multi, CURL *easy) {
    return library()->curl_multi_remove_handle(multi, easy);
}

CURLMcode curl_multi_socket_action(CURLM *multi, curl_socket_t socket, int ready, int *running) {
    return library()->curl_multi_socket_action(multi, socket, ready, running);
}

CURLMsg *curl_multi_info_read(CURLM *multi, int *left) { return library()->curl_multi_info_read(multi, left); }

CURLSH *curl_share_init(void) { return library()->curl_share_init(); }

CURLSHcode curl_share_cleanup(CURLSH *share) { return library()->curl_share_cleanup(share); }

struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text) {
    return library()->curl_slist_append(list, text);
}

void curl_slist_free_all(struct curl_slist *list) { library()->curl_slist_free_all(list); }

CURLU *curl_url(void) { return library()->curl_url(); }

void curl_url_cleanup(CURLU *url) { library()->curl_url_cleanup(url); }

CURLUcode curl_url_set(CURLU *url, CURLUPart part, const char *text, unsigned int flags) {
    return library()->curl_url_set(url, part, text, flags);
}

CURLUcode waybill_url_get(CURLU *url, CURLUPart part, char **text, unsigned int flags) {
    return library()->curl_url_get(url, part, text, flags);
}

curl_version_info_data *waybill_version_info(void) { return library()->curl_version_info(CURLVERSION_NOW); }

CURLcode waybill_easy_set_long(CURL *easy, CURLoption option, long value) {
    return library()->curl_easy_setopt(easy, option, value);
}

CURLcode waybill_easy_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return library()->curl_easy_setopt(easy, option, value);
}

CURLcode waybill_easy_set_string(CURL *easy, CURLoption option, const char *value) {
    return library()->curl_easy_setopt(easy, option, value);
}

CURLcode waybill_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
    return library()->curl_easy_setopt(easy, option, value);
}

CURLcode waybill_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return library()->curl_easy_setopt(easy, option, value);
}

CURLcode waybill_easy_set_receiver(CURL *easy, CURLoption option, curl_write_callback value) {
    return library()->curl_easy_setopt(easy, option, value);
}

CURLcode waybill_easy_set_before_request(CURL *easy, curl_prereq_callback value) {
    return library()->curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}

CURLcode waybill_easy_set_reader(CURL *easy, curl_read_callback value) {
    return library()->curl_easy_setopt(easy, CURLOPT_READFUNCTION, value);
}

CURLcode waybill_easy_set_seeker(CURL *easy, curl_seek_callback value) {
    return library()->curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, value);
}

CURLcode waybill_easy_set_socket_watcher(CURL *easy, curl_sockopt_callback value) {
    return library()->curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, value);
}

CURLcode waybill_easy_set_progress(CURL *easy, curl_xferinfo_callback value) {
    return library()->curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, value);
}

CURLcode waybill_easy_get_long(CURL *easy, CURLINFO info, long *value) {
    return library()->curl_easy_getinfo(easy, info, value);
}

CURLcode waybill_easy_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return library()->curl_easy_getinfo(easy, info, value);
}

CURLcode waybill_easy_get_string(CURL *easy, CURLINFO info, char **value) {
    return library()->curl_easy_getinfo(easy, info, value);
}

CURLcode waybill_easy_get_pointer(CURL *easy, CURLINFO info, void **value) {
    return library()->curl_easy_getinfo(easy, info, value);
}

CURLcode waybill_easy_get_list(CURL *easy, CURLINFO info, struct curl_slist **value) {
    return library()->curl_easy_getinfo(easy, info, value);
}

CURLcode waybill_easy_get_session(CURL *easy, struct curl_tlssessioninfo **value) {
    return library()->curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, value);
}

CURLSHcode waybill_share_set(CURLSH *share, curl_lock_data value) {
    return library()->curl_share_setopt(share, CURLSHOPT_SHARE, value);
}

CURLMcode waybill_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return library()->curl_multi_setopt(multi, option, value);
}

CURLMcode waybill_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
    return library()->curl_multi_setopt(multi, option, value);
}

CURLMcode waybill_multi_set_socket_function(CURLM *multi, curl_socket_callback value) {
    return library()->curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
}

CURLMcode waybill_multi_set_timer_function(CURLM *multi, curl_multi_timer_callback value) {
    return library()->curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
}
