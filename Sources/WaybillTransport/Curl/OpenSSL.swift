#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The OpenSSL that is in the process because libcurl is linked with it.
enum OpenSSL {
    /// The address of a function; `nil` where libcurl has another library for TLS. The caller knows its type from OpenSSL's
    /// manual.
    static func function(_ name: String) -> UnsafeMutableRawPointer? {
        dlsym(dlopen(nil, RTLD_NOW), name)
    }
}
