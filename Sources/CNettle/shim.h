#include <nettle/hmac.h>
#include <nettle/nettle-meta.h>
#include <nettle/version.h>

// The functions that finish a digest take its length in Nettle 3, but not in Nettle 4.

static inline void nettle_finish_hash(const struct nettle_hash *hash, void *context, uint8_t *digest) {
#if NETTLE_VERSION_MAJOR >= 4
    hash->digest(context, digest);
#else
    hash->digest(context, hash->digest_size, digest);
#endif
}

static inline void nettle_finish_hmac_sha256(struct hmac_sha256_ctx *context, uint8_t *digest) {
#if NETTLE_VERSION_MAJOR >= 4
    hmac_sha256_digest(context, digest);
#else
    hmac_sha256_digest(context, SHA256_DIGEST_SIZE, digest);
#endif
}
