// The system's C library, with what CPlatform adds to it: the functions that differ between systems. Files that call it import
// this module, and need no condition. Swift has no other way to pass on the global functions of an imported module.
@_exported public import CPlatform

#if canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Musl)
    @_exported public import Musl
#else
    @_exported public import Darwin
#endif

/// Returns a value of the C library that one of its functions sets, for types that are optional on some systems only, and
/// the function's result. If the function fails, the value is all zero or what the function left there.
package func initialized<Value>(by initialize: (UnsafeMutablePointer<Value>) -> Int32) -> (value: Value, code: Int32) {
    withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { buffer in
        UnsafeMutableRawBufferPointer(buffer).initializeMemory(as: UInt8.self, repeating: 0)
        let code = initialize(buffer.baseAddress!)
        return (buffer[0], code)
    }
}
