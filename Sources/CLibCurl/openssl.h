// Functions of the OpenSSL with which libcurl is linked, for what libcurl does not report. They are looked up when the
// program runs, because libcurl may be linked with another TLS library. The types are those of OpenSSL's manual pages, and
// are the same since version 1.1.

#ifndef WAYBILL_OPENSSL_H
#define WAYBILL_OPENSSL_H

#include <dlfcn.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

typedef struct {
    int (*shutdown_state)(const void *session);
    void (*selected_protocol)(const void *session, const unsigned char *_Nullable *_Nonnull name, unsigned *count);
    void *_Nullable (*peer_certificate)(const void *session);
    void *_Nullable (*verified_chain)(const void *session);
    long (*verify_result)(const void *session);
    int (*stack_count)(const void *stack);
    void *_Nullable (*stack_value)(const void *stack, int index);
    int (*encode_certificate)(const void *certificate, unsigned char *_Nullable *_Nullable end);
    void (*free_certificate)(void *certificate);
} waybill_openssl;

#define WAYBILL_FUNCTION(member, name) ((*(void *_Nullable *)&functions.member = dlsym(libcurl, name)) != NULL)

/// The functions that the library of libcurl is linked with; NULL if one is missing.
static inline const waybill_openssl *_Nullable waybill_find_openssl(void *libcurl) {
    static waybill_openssl functions;
    int found = WAYBILL_FUNCTION(shutdown_state, "SSL_get_shutdown")
        && WAYBILL_FUNCTION(selected_protocol, "SSL_get0_alpn_selected")
        // The name since OpenSSL 3, and the one before.
        && (WAYBILL_FUNCTION(peer_certificate, "SSL_get1_peer_certificate")
            || WAYBILL_FUNCTION(peer_certificate, "SSL_get_peer_certificate"))
        && WAYBILL_FUNCTION(verified_chain, "SSL_get0_verified_chain")
        && WAYBILL_FUNCTION(verify_result, "SSL_get_verify_result")
        && WAYBILL_FUNCTION(stack_count, "OPENSSL_sk_num")
        && WAYBILL_FUNCTION(stack_value, "OPENSSL_sk_value")
        && WAYBILL_FUNCTION(encode_certificate, "i2d_X509")
        && WAYBILL_FUNCTION(free_certificate, "X509_free");
    return found ? &functions : NULL;
}

#undef WAYBILL_FUNCTION
#pragma clang assume_nonnull end
#endif
