#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Functions of libraries that libcurl has brought into this process. They are found at run time, so that nothing else
/// needs to be installed for building.
enum LoadedFunction {
    /// The address of a function; nil when no library has it. The caller knows its type, from the library's manual.
    static func named(_ name: String) -> UnsafeMutableRawPointer? {
        #if canImport(Glibc)
            // RTLD_DEFAULT: whatever has been loaded.
            dlsym(nil, name)
        #else
            dlsym(UnsafeMutableRawPointer(bitPattern: -2), name)
        #endif
    }
}
