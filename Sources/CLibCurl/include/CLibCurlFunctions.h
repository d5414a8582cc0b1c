// The functions of libcurl that are used, by name.

#ifndef WAYBILL_CURL_FUNCTIONS_H
#define WAYBILL_CURL_FUNCTIONS_H

// The functions that Swift calls by libcurl's own names.
#define WAYBILL_CURL_FUNCTIONS(each) \
    each(curl_easy_init) \
    each(curl_easy_cleanup) \
    each(curl_easy_reset) \
    each(curl_easy_pause) \
    each(curl_easy_strerror) \
    each(curl_free) \
    each(curl_global_init) \
    each(curl_multi_init) \
    each(curl_multi_cleanup) \
    each(curl_multi_add_handle) \
    each(curl_multi_remove_handle) \
    each(curl_multi_socket_action) \
    each(curl_multi_info_read) \
    each(curl_share_init) \
    each(curl_share_cleanup) \
    each(curl_slist_append) \
    each(curl_slist_free_all) \
    each(curl_url) \
    each(curl_url_cleanup) \
    each(curl_url_set)

// Those that only C calls.
#define WAYBILL_OTHER_CURL_FUNCTIONS(each) \
    each(curl_url_get) \
    each(curl_easy_setopt) \
    each(curl_easy_getinfo) \
    each(curl_multi_setopt) \
    each(curl_share_setopt) \
    each(curl_version_info)

#endif
