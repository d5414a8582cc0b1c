import WaybillJSON

/// The canonical path of a node (RFC 9535, section 2.7), such as `$['items'][0]`.
package struct NormalizedPath: Sendable {
    /// A segment of the path.
    package enum Step: Sendable {
        /// A member.
        case name(String)
        /// An element.
        case index(Int)
    }

    /// The segments from the root.
    package var steps: [Step]

    /// Creates a path of these segments.
    package init(steps: [Step] = []) {
        self.steps = steps
    }
}

extension NormalizedPath: CustomStringConvertible {
    /// The path in the notation of RFC 9535, section 2.7.
    package var description: String {
        var text = "$"
        for step in steps {
            switch step {
            case .name(let name): text += "['\(Self.escaped(name))']"
            case .index(let index): text += "[\(index)]"
            }
        }
        return text
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
    /// Its path, if it is wanted.
    var path: NormalizedPath?

    /// Returns the node of a member or element of the value.
    func child(_ value: JSON, _ step: NormalizedPath.Step) -> Node {
        Node(value: value, path: path.map { NormalizedPath(steps: $0.steps + [step]) })
    }
}
