// libcurl's interface for Swift, which cannot call variadic C functions: each kind of argument of curl_easy_setopt,
// curl_easy_getinfo, curl_share_setopt and curl_multi_setopt has an inline function here.

#ifndef WAYBILL_CURL_H
#define WAYBILL_CURL_H

// libcurl's own check of the arguments needs to know the option at compile time.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// curl_url_get, whose first parameter has different types in different versions.
static inline CURLUcode waybill_url_get(CURLU *url, CURLUPart part, char **text, unsigned int flags) {
    return curl_url_get(url, part, text, flags);
}

/// An address in libcurl.
static inline const void *waybill_libcurl_address(void) { return (const void *)curl_easy_init; }

static inline curl_version_info_data *waybill_version_info(void) { return curl_version_info(CURLVERSION_NOW); }

#define WAYBILL_SETTER(name, type) \
    static inline CURLcode waybill_easy_set_##name(CURL *easy, CURLoption option, type value) { \
        return curl_easy_setopt(easy, option, value); \
    }
WAYBILL_SETTER(long, long)
WAYBILL_SETTER(offset, curl_off_t)
WAYBILL_SETTER(string, const char *)
WAYBILL_SETTER(pointer, void *)
WAYBILL_SETTER(list, struct curl_slist *)
WAYBILL_SETTER(receiver, curl_write_callback)
#undef WAYBILL_SETTER

#define WAYBILL_CALLBACK_SETTER(name, option, type) \
    static inline CURLcode waybill_easy_set_##name(CURL *easy, type value) { \
        return curl_easy_setopt(easy, option, value); \
    }
WAYBILL_CALLBACK_SETTER(before_request, CURLOPT_PREREQFUNCTION, curl_prereq_callback)
WAYBILL_CALLBACK_SETTER(reader, CURLOPT_READFUNCTION, curl_read_callback)
WAYBILL_CALLBACK_SETTER(seeker, CURLOPT_SEEKFUNCTION, curl_seek_callback)
WAYBILL_CALLBACK_SETTER(socket_watcher, CURLOPT_SOCKOPTFUNCTION, curl_sockopt_callback)
WAYBILL_CALLBACK_SETTER(observer, CURLOPT_DEBUGFUNCTION, curl_debug_callback)
WAYBILL_CALLBACK_SETTER(progress, CURLOPT_XFERINFOFUNCTION, curl_xferinfo_callback)
#undef WAYBILL_CALLBACK_SETTER

#define WAYBILL_GETTER(name, type) \
    static inline CURLcode waybill_easy_get_##name(CURL *easy, CURLINFO info, type *value) { \
        return curl_easy_getinfo(easy, info, value); \
    }
WAYBILL_GETTER(long, long)
WAYBILL_GETTER(offset, curl_off_t)
WAYBILL_GETTER(string, char *)
WAYBILL_GETTER(pointer, void *)
WAYBILL_GETTER(list, struct curl_slist *)
#undef WAYBILL_GETTER

static inline CURLcode waybill_easy_get_session(CURL *easy, struct curl_tlssessioninfo **value) {
    return curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, value);
}

static inline CURLSHcode waybill_share_set(CURLSH *share, curl_lock_data value) {
    return curl_share_setopt(share, CURLSHOPT_SHARE, value);
}

static inline CURLMcode waybill_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode waybill_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode waybill_multi_set_socket_function(CURLM *multi, curl_socket_callback value) {
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
}

static inline CURLMcode waybill_multi_set_timer_function(CURLM *multi, curl_multi_timer_callback value) {
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
}

#endif
