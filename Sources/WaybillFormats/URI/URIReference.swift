/// A URI or relative reference split into its components (RFC 3986, section 3), without checking their characters.
package struct URIReference: Sendable, Hashable {
    /// The scheme, without its colon.
    package var scheme: String?
    /// User information, host and port, without the slashes before them.
    package var authority: String?
    /// The path; may be empty.
    package var path: String
    /// The part after the question mark.
    package var query: String?
    /// The part after the number sign.
    package var fragment: String?

    /// Splits any string like the regular expression of RFC 3986, appendix B. Every string can be split.
    package init(_ text: String) {
        var rest = Substring(text)
        fragment = Self.cut(&rest, from: "#")
        query = Self.cut(&rest, from: "?")
        if let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
            scheme = String(rest[..<colon])
            rest = rest[rest.utf8.index(after: colon)...]
        }
        if rest.utf8.starts(with: "//".utf8) {
            rest = rest[rest.utf8.index(rest.startIndex, offsetBy: 2)...]
            let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = String(rest[..<end])
            rest = rest[end...]
        }
        path = String(rest)
    }

    /// Whether it has a scheme, so that it needs no base.
    package var isAbsolute: Bool { scheme != nil }

    /// The same reference without its fragment.
    package var withoutFragment: URIReference {
        var result = self
        result.fragment = nil
        return result
    }

    private static func cut(_ rest: inout Substring, from mark: Unicode.Scalar) -> String? {
        guard let index = rest.utf8.firstIndex(of: UInt8(ascii: mark)) else { return nil }
        defer { rest = rest[..<index] }
        return String(rest[rest.utf8.index(after: index)...])
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy {
            isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains($0)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}

extension URIReference {
    /// Returns this reference resolved against a base (RFC 3986, section 5.2.2). With a relative base, the result is
    /// relative.
    package func resolved(against base: URIReference) -> URIReference {
        var target = self
        if scheme != nil {
            target.path = Self.removingDotSegments(path)
            return target
        }
        target.scheme = base.scheme
        if authority != nil {
            target.path = Self.removingDotSegments(path)
            return target
        }
        target.authority = base.authority
        if path.isEmpty {
            target.path = base.path
            target.query = query ?? base.query
        } else if path.utf8.first == UInt8(ascii: "/") {
            target.path = Self.removingDotSegments(path)
        } else {
            target.path = Self.removingDotSegments(base.merged(with: path))
        }
        return target
    }

    /// Merges paths (RFC 3986, section 5.2.3).
    private func merged(with relative: String) -> String {
        if authority != nil, path.isEmpty { return "/" + relative }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return relative }
        return path[...slash] + relative
    }

    /// Removes the segments `.` and `..` (RFC 3986, section 5.2.4).
    private static func removingDotSegments(_ path: String) -> String {
        var output: [Substring] = []
        let isRooted = path.utf8.first == UInt8(ascii: "/")
        let segments = path.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
            .map { Substring($0) }.dropFirst(isRooted ? 1 : 0)
        for (offset, segment) in segments.enumerated() {
            let isLast = offset == segments.count - 1
            switch segment {
            case ".":
                if isLast { output.append("") }
            case "..":
                if !output.isEmpty { output.removeLast() }
                if isLast { output.append("") }
            default:
                output.append(segment)
            }
        }
        return (isRooted ? "/" : "") + output.joined(separator: "/")
    }
}

extension URIReference: CustomStringConvertible {
    /// The recomposed reference (RFC 3986, section 5.3).
    package var description: String {
        var result = ""
        if let scheme { result += scheme + ":" }
        if let authority { result += "//" + authority }
        result += path
        if let query { result += "?" + query }
        if let fragment { result += "#" + fragment }
        return result
    }
}

extension URIReference {
    /// The parts of an authority (RFC 3986, section 3.2). Their characters are not checked.
    package struct Authority: Sendable, Hashable, CustomStringConvertible {
        /// The text before the last `@`: a user name, perhaps with a password.
        package var userInformation: String?
        /// The host; an IPv6 address with its brackets.
        package var host: String
        /// The text after the last colon that follows the host.
        package var port: String?

        /// Splits a string into the parts. Every string can be split.
        package init(_ text: String) {
            var rest = text.utf8[...]
            if let at = rest.lastIndex(of: UInt8(ascii: "@")) {
                userInformation = String(Substring(rest[..<at]))
                rest = rest[rest.index(after: at)...]
            }
            var start = rest.startIndex
            if rest.first == UInt8(ascii: "[") { start = rest.firstIndex(of: UInt8(ascii: "]")) ?? rest.endIndex }
            if let colon = rest[start...].lastIndex(of: UInt8(ascii: ":")) {
                port = String(Substring(rest[rest.index(after: colon)...]))
                rest = rest[..<colon]
            }
            host = String(Substring(rest))
        }

        /// The whole authority.
        package var description: String {
            (userInformation.map { $0 + "@" } ?? "") + host + (port.map { ":" + $0 } ?? "")
        }
    }
}
