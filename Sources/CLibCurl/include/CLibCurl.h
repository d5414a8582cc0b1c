// libcurl's interface for Swift, and how the library comes into the process.
//
// libcurl as a library of the system brings some thirty others along, and the system's loader spends 4 to 5 milliseconds on
// them: most of the time that `curl` takes for a request, and more than a run of one request could spare.
//
// So a program that is built with WAYBILL_LINKS_LIBCURL has libcurl inside, from archives. Others load it when it is first
// needed: commands that send nothing do without it, and those that send have it loaded on a second thread while the first
// one reads the manifest.

#ifndef WAYBILL_CURL_H
#define WAYBILL_CURL_H

#include "CLibCurlFunctions.h"

// In object files they have names of ours, so that they neither stand in the way of libcurl's own where a program is linked
// with that too, nor are found by libcurl instead of its own.
#define WAYBILL_PRAGMA(words) _Pragma(#words)
#define WAYBILL_RENAMED(name) WAYBILL_PRAGMA(redefine_extname name waybill_##name)
WAYBILL_CURL_FUNCTIONS(WAYBILL_RENAMED)

#include <curl/curl.h>

#ifdef __linux__
// What libcurl's sockets are waited for with; Swift's Glibc module leaves these two headers out.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif

// Loads the library; from whichever thread, it happens once. Gives NULL, or why it cannot be used, for a person. Everything
// below does it by itself, but then a library that cannot be loaded ends the process, as at the beginning of a program that
// is linked with it.
const char *waybill_load_libcurl(void);

// The address of a function of libcurl's, or of a library that it has brought along; NULL when none has it. The caller
// knows its type, from the library's manual.
void *waybill_loaded_function(const char *name);

// curl_url_get, whose first parameter is not of the same type in all versions, and curl_version_info for this version.
CURLUcode waybill_url_get(CURLU *url, CURLUPart part, char **text, unsigned int flags);
curl_version_info_data *waybill_version_info(void);

// Swift cannot call variadic C functions, so each kind of argument of curl_easy_setopt, curl_easy_getinfo,
// curl_share_setopt and curl_multi_setopt has a function here.

CURLcode waybill_easy_set_long(CURL *easy, CURLoption option, long value);
CURLcode waybill_easy_set_offset(CURL *easy, CURLoption option, curl_off_t value);
CURLcode waybill_easy_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode waybill_easy_set_pointer(CURL *easy, CURLoption option, void *value);
CURLcode waybill_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
CURLcode waybill_easy_set_receiver(CURL *easy, CURLoption option, curl_write_callback value);
CURLcode waybill_easy_set_before_request(CURL *easy, curl_prereq_callback value);
CURLcode waybill_easy_set_reader(CURL *easy, curl_read_callback value);
CURLcode waybill_easy_set_seeker(CURL *easy, curl_seek_callback value);
CURLcode waybill_easy_set_socket_watcher(CURL *easy, curl_sockopt_callback value);
CURLcode waybill_easy_set_progress(CURL *easy, curl_xferinfo_callback value);
CURLcode waybill_easy_get_long(CURL *easy, CURLINFO info, long *value);
CURLcode waybill_easy_get_offset(CURL *easy, CURLINFO info, curl_off_t *value);
CURLcode waybill_easy_get_string(CURL *easy, CURLINFO info, char **value);
CURLcode waybill_easy_get_pointer(CURL *easy, CURLINFO info, void **value);
CURLcode waybill_easy_get_list(CURL *easy, CURLINFO info, struct curl_slist **value);
CURLcode waybill_easy_get_session(CURL *easy, struct curl_tlssessioninfo **value);
CURLSHcode waybill_share_set(CURLSH *share, curl_lock_data value);
CURLMcode waybill_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLMcode waybill_multi_set_pointer(CURLM *multi, CURLMoption option, void *value);
CURLMcode waybill_multi_set_socket_function(CURLM *multi, curl_socket_callback value);
CURLMcode waybill_multi_set_timer_function(CURLM *multi, curl_multi_timer_callback value);

// What zlib, brotli and zstd want to be called with. libcurl brings these libraries along; their headers need not be
// there, since the functions are found at run time.

// zlib's z_stream, the same since version 1.0.
struct waybill_zlib_stream {
    const unsigned char *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *msg;
    void *state;
    void *zalloc;
    void *zfree;
    void *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
};

// ZSTD_inBuffer, the same since version 1.0.
struct waybill_zstd_input {
    const void *src;
    size_t size;
    size_t pos;
};

// ZSTD_outBuffer, the same since version 1.0.
struct waybill_zstd_output {
    void *dst;
    size_t size;
    size_t pos;
};

#endif
