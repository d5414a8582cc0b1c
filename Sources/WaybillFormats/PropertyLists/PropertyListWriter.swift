package import WaybillJSON

/// Writes XML property lists.
///
/// An integer without a decimal point or exponent becomes an `<integer>`, any other number a `<real>`. Strings stay
/// strings, even dates and Base64, because JSON does not distinguish them. `{"CF$UID": n}` is the notation of XML
/// property lists for a UID.
package enum PropertyListWriter {
    /// Returns the text of a value, in UTF-8, indented with tabs.
    ///
    /// - Throws: The first value that a property list cannot contain, with its path: null, a number that is too large,
    ///   a character that XML does not allow, or nesting deeper than `JSON.greatestDepth`.
    package static func xml(_ value: JSON) throws(PropertyListError) -> [UInt8] {
        var writing = PropertyListWriting()
        writing.output = Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">

            """.utf8
        )
        try writing.write(value)
        writing.output += Array("</plist>\n".utf8)
        return writing.output
    }

    /// Whether a number is not an integer, or fits into the 64 bits of a property list.
    package static func fits(_ number: JSONNumber) -> Bool {
        let text = number.text
        return text.utf8.contains { ".eE".utf8.contains($0) } || Int64(text) != nil || UInt64(text) != nil
    }
}

/// Writes one value. The recursion is as deep as the value, whose depth is limited.
private struct PropertyListWriting {
    var output: [UInt8] = []
    /// The path of the value that is being written.
    private var path: [JSONPointer.Token] = []

    mutating func write(_ value: JSON) throws(PropertyListError) {
        guard path.count <= JSON.greatestDepth else {
            throw fault("the value is nested more than \(JSON.greatestDepth) levels deep")
        }
        switch value {
        case .null: throw fault("property lists cannot contain null")
        case .bool(let value): writeLine(value ? "<true/>" : "<false/>")
        case .number(let number): try write(number)
        case .string(let text): try writeText(text, in: "string")
        case .bytes(let bytes): writeLine("<data>\(Base64.encode(bytes))</data>")
        case .array(let elements) where elements.isEmpty: writeLine("<array/>")
        case .array(let elements):
            writeLine("<array>")
            for (index, element) in elements.enumerated() {
                path.append(.index(index))
                try write(element)
                path.removeLast()
            }
            writeLine("</array>")
        case .object(let members) where members.isEmpty: writeLine("<dict/>")
        case .object(let members):
            writeLine("<dict>")
            for (name, value) in members {
                path.append(.name(name))
                try writeText(name, in: "key")
                try write(value)
                path.removeLast()
            }
            writeLine("</dict>")
        }
    }

    private mutating func write(_ number: JSONNumber) throws(PropertyListError) {
        let text = number.text
        if !text.utf8.contains(where: { ".eE".utf8.contains($0) }) {
            guard PropertyListWriter.fits(number) else {
                throw fault("the integer \(text.excerpt(40)) does not fit into the 64 bits of a property list")
            }
            writeLine("<integer>\(text)</integer>")
        } else {
            guard number.double.isFinite else {
                throw fault("the number \(text.excerpt(40)) is too large for a property list")
            }
            writeLine("<real>\(text)</real>")
        }
    }

    private mutating func writeText(_ text: String, in element: String) throws(PropertyListError) {
        indent()
        output += Array("<\(element)>".utf8)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": output += Array("&amp;".utf8)
            case "<": output += Array("&lt;".utf8)
            case ">": output += Array("&gt;".utf8)
            // An unescaped CR would be read as a line feed.
            case "\r": output += Array("&#13;".utf8)
            default:
                guard XMLScanner.isCharacter(scalar) else {
                    throw fault("XML does not allow the character U+\(scalar.value.digits(4, radix: 16))")
                }
                output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        output += Array("</\(element)>\n".utf8)
    }

    private mutating func writeLine(_ text: String) {
        indent()
        output += Array(text.utf8)
        output.append(UInt8(ascii: "\n"))
    }

    /// Indents the tags of a container to its depth. The path has one more token for its contents.
    private mutating func indent() {
        output.append(contentsOf: repeatElement(UInt8(ascii: "\t"), count: path.count))
    }

    private func fault(_ message: String) -> PropertyListError {
        PropertyListError(message, at: JSONPointer(path))
    }
}
