#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The environment variables of the process.
package enum ProcessVariables {
    /// Every variable by its name.
    package static var all: [String: String] {
        var variables: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let pair = String(cString: text)
            if let equals = pair.firstIndex(of: "=") {
                variables[String(pair[..<equals])] = String(pair[equals...].dropFirst())
            }
            entry += 1
        }
        return variables
    }
}
