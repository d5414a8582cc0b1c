extension URIReference {
    /// The path of a file as the path of a URI: all but `/` and unreserved characters percent-encoded (RFC 3986,
    /// section 3.3), also the `:` that would make a scheme of a relative path's beginning.
    package static func encoded(path: String) -> String {
        let digits = Array("0123456789ABCDEF".unicodeScalars)
        let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
        var text = String.UnicodeScalarView()
        for byte in path.utf8 {
            if unreserved.contains(byte) {
                text.append(Unicode.Scalar(byte))
            } else {
                text.append(contentsOf: ["%", digits[Int(byte >> 4)], digits[Int(byte & 15)]])
            }
        }
        return String(text)
    }
}
