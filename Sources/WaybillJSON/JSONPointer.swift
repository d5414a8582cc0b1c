/// The path from the root of a JSON value to a value inside it (RFC 6901).
package struct JSONPointer: Sendable {
    /// The tokens of the path, outermost first; empty for the whole value.
    package var tokens: [Token]

    /// Creates a pointer from tokens; without any, it points to the whole value.
    package init(_ tokens: [Token] = []) {
        self.tokens = tokens
    }

    /// One step into a value.
    ///
    /// RFC 6901 writes both kinds in the same way, so `name("0")` and `index(0)` are equal: they are the same pointer.
    package enum Token: Sendable {
        /// The member with a name.
        case name(String)
        /// The element at an index, from 0.
        case index(Int)
    }

    /// Returns the pointer to a member or element of the value that this one points to.
    package func appending(_ token: Token) -> JSONPointer {
        JSONPointer(tokens + [token])
    }

    /// Returns the value that the pointer leads to (RFC 6901, section 4); `nil` if there is none.
    package func resolve(in value: JSON) -> JSON? {
        var value = value
        for token in tokens {
            guard let next = token.resolve(in: value) else { return nil }
            value = next
        }
        return value
    }
}

extension JSONPointer {
    /// Parses the string form of RFC 6901, section 3: empty, or `/` before each token, with `~0` for `~` and `~1` for
    /// `/`.
    ///
    /// Returns `nil` for anything else. A token of digits without leading zeros becomes an index, which also finds the
    /// member with that name.
    package init?(parsing text: String) {
        let bytes = Array(text.utf8)
        guard bytes.isEmpty || bytes[0] == UInt8(ascii: "/") else { return nil }
        tokens = []
        for part in bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst() {
            guard let token = Token(escaped: part) else { return nil }
            tokens.append(token)
        }
    }
}

extension JSONPointer: CustomStringConvertible {
    /// The string form of RFC 6901, section 3.
    package var description: String {
        tokens.reduce(into: "") { $0 += "/" + $1.escaped }
    }
}

extension JSONPointer: Hashable {}

extension JSONPointer.Token {
    /// The token before the escaping of RFC 6901.
    package var text: String {
        switch self {
        case .name(let name): name
        case .index(let index): String(index)
        }
    }

    /// The array index that the token represents (RFC 6901, section 4): digits without leading zeros.
    package var index: Int? {
        switch self {
        case .name(let name): Self.index(of: name)
        case .index(let index): index
        }
    }

    private static func index(of name: String) -> Int? {
        let digits = name.utf8
        guard digits.first != UInt8(ascii: "0") || digits.count == 1 else { return nil }
        return digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(name) : nil
    }

    fileprivate init?(escaped bytes: ArraySlice<UInt8>) {
        var unescaped: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "~") else {
                unescaped.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "0"): unescaped.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): unescaped.append(UInt8(ascii: "/"))
            default: return nil
            }
        }
        let text = String(decoding: unescaped, as: UTF8.self)
        self = Self.index(of: text).map { .index($0) } ?? .name(text)
    }

    fileprivate var escaped: String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "~": escaped += "~0"
            case "/": escaped += "~1"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }

    fileprivate func resolve(in value: JSON) -> JSON? {
        switch value {
        case .object(let members): members[text]
        case .array: index.flatMap { value[$0] }
        default: nil
        }
    }
}

extension JSONPointer.Token: Hashable {
    /// Compares the texts of tokens by code points, so `.index(1)` equals `.name("1")`.
    package static func == (left: Self, right: Self) -> Bool {
        if case .index(let left) = left, case .index(let right) = right { return left == right }
        return left.text.hasSameCodePoints(as: right.text)
    }

    package func hash(into hasher: inout Hasher) {
        text.hashCodePoints(into: &hasher)
    }
}
