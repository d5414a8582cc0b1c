package import WaybillDiagnostics

extension YAMLScalar {
    /// The comment that cuts the string off: one in the same line while a bracket, quote or `${` is open.
    package var cuttingComment: SourceSpan? {
        guard style == .plain else { return nil }
        let bytes = span.file.bytes
        var start = span.range.upperBound
        while start < bytes.count, [0x20, 0x09].contains(bytes[start]) { start += 1 }
        guard start > span.range.upperBound, start < bytes.count, bytes[start] == UInt8(ascii: "#"), isUnfinished else {
            return nil
        }
        let end = bytes[start...].firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } ?? bytes.count
        return span.file.span(start..<end)
    }

    private var isUnfinished: Bool {
        var depth = 0
        var quote: Unicode.Scalar?
        var previous: Unicode.Scalar = " "
        var isEscaped = false
        for scalar in text.unicodeScalars {
            defer { previous = scalar }
            if isEscaped {
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if let open = quote {
                if scalar == open { quote = nil }
            } else if scalar == "'" || scalar == "\"" {
                // After a letter, it is an apostrophe.
                if !previous.properties.isAlphabetic { quote = scalar }
            } else if scalar == "(" || scalar == "{" && previous == "$" {
                depth += 1
            } else if scalar == ")" || scalar == "}" {
                depth = max(0, depth - 1)
            }
        }
        return depth > 0 || quote != nil
    }
}
