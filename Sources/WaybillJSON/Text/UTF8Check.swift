/// Finds bytes that are not UTF-8.
package enum UTF8Check {
    /// Returns the index of the first byte that does not start or continue a valid sequence; `nil` if all bytes are
    /// valid.
    package static func firstFault(in bytes: some Collection<UInt8>) -> Int? {
        var decoder = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var offset = 0
        while true {
            switch decoder.parseScalar(from: &iterator) {
            case .valid(let scalar): offset += scalar.count
            case .emptyInput: return nil
            case .error: return offset
            }
        }
    }
}
