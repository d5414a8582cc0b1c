import WaybillJSON

/// URI templates (RFC 6570, section 2).
enum URITemplateFormat {
    static func isTemplate(_ string: String) -> Bool {
        var scalars = string.unicodeScalars[...]
        var limit = WorkLimit.Check()
        while let scalar = scalars.popFirst() {
            if limit.isReached(before: 1) { return false }
            switch scalar {
            case "{":
                guard let close = scalars.firstIndex(of: "}"), isExpression(scalars[..<close]) else { return false }
                scalars = scalars[scalars.index(after: close)...]
            case "%":
                guard takesHexadecimal(&scalars) else { return false }
            case "}", " ", "\"", "<", ">", "\\", "^", "`", "|":
                return false
            default:
                guard scalar.value > 0x20, !(0x7F...0x9F).contains(scalar.value) else { return false }
            }
        }
        return true
    }

    private static func isExpression(_ text: Substring.UnicodeScalarView) -> Bool {
        var text = text
        if let first = text.first, "+#./;?&".unicodeScalars.contains(first) { text.removeFirst() }
        return text.split(separator: ",", omittingEmptySubsequences: false).allSatisfy(isVariable)
    }

    private static func isVariable(_ text: Substring.UnicodeScalarView) -> Bool {
        if WorkLimit.isReached { return false }
        var name = text
        if name.last == "*" {
            name.removeLast()
        } else if let colon = name.firstIndex(of: ":") {
            let length = name[name.index(after: colon)...]
            guard (1...4).contains(length.count), length.first != "0", length.allSatisfy({ ("0"..."9").contains($0) })
            else {
                return false
            }
            name = name[..<colon]
        }
        return name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            var part = part
            guard !part.isEmpty else { return false }
            while let scalar = part.popFirst() {
                if scalar == "%" {
                    guard takesHexadecimal(&part) else { return false }
                } else {
                    let isLetter = scalar.isASCII && scalar.properties.isAlphabetic
                    guard isLetter || scalar == "_" || ("0"..."9").contains(scalar) else { return false }
                }
            }
            return true
        }
    }

    private static func takesHexadecimal(_ text: inout Substring.UnicodeScalarView) -> Bool {
        guard let high = text.popFirst(), let low = text.popFirst() else { return false }
        return high.properties.isASCIIHexDigit && low.properties.isASCIIHexDigit
    }
}
