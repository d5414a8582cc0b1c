// Where the functions of libcurl, and of the libraries that it brings along, are in a program that is linked with them.
#ifdef WAYBILL_LINKS_LIBCURL

// Here libcurl's functions have their own names, unlike in CLibCurl.h.
#include <curl/curl.h>
#include <string.h>

#include "CLibCurlFunctions.h"
#include "linked.h"

// These are only looked for by their names, and called with the types of their manuals.
#define OF_OTHER_LIBRARIES(each) \
    each(inflate) \
    each(inflateEnd) \
    each(inflateInit2_) \
    each(inflateReset) \
    each(BrotliDecoderCreateInstance) \
    each(BrotliDecoderDecompressStream) \
    each(BrotliDecoderDestroyInstance) \
    each(ZSTD_createDCtx) \
    each(ZSTD_DCtx_setParameter) \
    each(ZSTD_decompressStream) \
    each(ZSTD_freeDCtx) \
    each(ZSTD_isError) \
    each(OPENSSL_sk_num) \
    each(OPENSSL_sk_value) \
    each(SSL_get0_verified_chain) \
    each(SSL_get1_peer_certificate) \
    each(SSL_get_verify_result) \
    each(X509_free) \
    each(i2d_X509)

#define DECLARE(name) void name(void);
OF_OTHER_LIBRARIES(DECLARE)

static const struct {
    const char *name;
    void *address;
} linked[] = {
#define ENTRY(name) {#name, (void *)(name)},
    WAYBILL_CURL_FUNCTIONS(ENTRY) WAYBILL_OTHER_CURL_FUNCTIONS(ENTRY) OF_OTHER_LIBRARIES(ENTRY)
};

void *waybill_linked_function(const char *name) {
    for (size_t index = 0; index < sizeof linked / sizeof *linked; index++)
        if (strcmp(linked[index].name, name) == 0) return linked[index].address;
    return NULL;
}

#endif
