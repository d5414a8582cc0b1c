package import WaybillJSON

extension JSONPointer {
    /// The location in the notation of normalized paths (RFC 9535, section 2.7), such as `$['items'][0]`.
    package var normalizedPath: String {
        tokens.reduce(into: "$") { text, token in
            switch token {
            case .name(let name): text += "['\(Self.escaped(name))']"
            case .index(let index): text += "[\(index)]"
            }
        }
    }

    private static func escaped(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "'": text += "\\'"
            case "\\": text += "\\\\"
            case "\u{8}": text += "\\b"
            case "\t": text += "\\t"
            case "\n": text += "\\n"
            case "\u{C}": text += "\\f"
            case "\r": text += "\\r"
            case "\0"..<" ":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

/// A value that a path has led to.
struct Node {
    var value: JSON
    /// Its location, if it is wanted.
    var location: JSONPointer?

    /// Returns the node of a member or element of the value.
    func child(_ value: JSON, _ token: JSONPointer.Token) -> Node {
        Node(value: value, location: location?.appending(token))
    }
}
