import Synchronization

/// Finds credentials that a manifest contains itself; excerpts do not show them.
package enum WrittenCredentials {
    /// The maximum distance of a name from the part of its value that is shown.
    private static let longest = 16 << 10

    /// The maximum number of lines of a credential.
    private static let mostLines = 200

    /// What was found in a file: for the block of a line that was searched last, and the anchors that credentials refer to.
    struct Known {
        fileprivate var block: (start: Int, ranges: [Range<Int>])?
        fileprivate var anchors: Set<ArraySlice<UInt8>>?
    }

    /// Returns the ranges of the credentials in a part of a line that is not longer than a block.
    static func ranges(in part: Range<Int>, of file: SourceFile) -> [Range<Int>] {
        guard !file.isMasked else { return [] }
        let number = file.line(at: part.lowerBound)
        let line = file.byteRange(ofLine: number)
        // The many diagnostics of a long line share the search of a block.
        let block = max(line.lowerBound, part.lowerBound / longest * longest)
        var ranges = file.knownCredentials.withLock { $0.block.flatMap { $0.start == block ? $0.ranges : nil } }
        if ranges == nil {
            let start = max(line.lowerBound, block - longest)
            let text = file.bytes[start..<max(part.upperBound, min(line.upperBound, block + 2 * longest))]
            ranges =
                passwords(in: text) + fieldValues(in: text, of: file)
                + continuedValues(in: text, number, of: file) + variable(in: text)
            file.knownCredentials.withLock { [ranges] in $0.block = (block, ranges ?? []) }
        }
        return (ranges ?? []).filter { $0.overlaps(part) }
    }

    /// Returns the range of the value in a line of a file of environment variables (`NAME=value`), which was read as
    /// something else.
    package static func variable(in line: ArraySlice<UInt8>) -> [Range<Int>] {
        let name = line.starts(with: "export ".utf8) ? line.dropFirst(7) : line
        let rest = name.drop { isOfName($0) && $0 != UInt8(ascii: "-") }
        let isVariable = rest.startIndex > name.startIndex && rest.first == UInt8(ascii: "=")
        return isVariable ? [(rest.startIndex + 1)..<line.endIndex] : []
    }

    /// The size of a file in bytes from which on the values of all anchors are hidden, because the search for their aliases
    /// would take long.
    private static let largest = 1 << 20

    /// Whether a value has an anchor that a credential refers to: `{X-Other: &k abc, X-Api-Key: *k}`.
    private static func isUsedAsCredential(anchored value: ArraySlice<UInt8>, in file: SourceFile) -> Bool {
        let name = propertyName(at: value)
        guard !name.isEmpty else { return false }
        guard file.bytes.count < largest else { return true }
        var anchors = file.knownCredentials.withLock { $0.anchors }
        if anchors == nil {
            anchors = Set((1...file.lineCount).flatMap { credentialAliases(inLine: $0, of: file) })
            file.knownCredentials.withLock { [anchors] in $0.anchors = anchors }
        }
        return anchors?.contains(name) ?? false
    }

    /// The name after `&` or `*`.
    private static func propertyName(at text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        text.dropFirst().prefix { $0 > 0x20 && !",[]{}".utf8.contains($0) }
    }

    /// Returns the names of the anchors that the credentials in a line refer to, also as the elements of a list.
    private static func credentialAliases(inLine number: Int, of file: SourceFile) -> [ArraySlice<UInt8>] {
        let line = file.bytes[file.byteRange(ofLine: number)]
        guard line.contains(UInt8(ascii: "*")) else { return [] }
        var values = keys(in: line).filter { key in
            key.isCredential
                || key.name == "value" && self.key(above: number, of: file, withAnchors: false)?.name == "apiKey"
        }.map(\.value)
        if line.first(where: { !isBeforeContent($0) }) == UInt8(ascii: "*"),
            key(above: number, of: file, withAnchors: false)?.isCredential ?? false
        {
            values.append(line)
        }
        return values.flatMap { value in
            value.indices.filter { value[$0] == UInt8(ascii: "*") }.map { propertyName(at: value[$0...]) }
        }
    }

    /// Returns the ranges of passwords in URLs (`https://user:password@host/`, RFC 3986, section 3.2.1).
    private static func passwords(in text: ArraySlice<UInt8>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var index = text.startIndex
        while index + 2 < text.endIndex {
            guard text[index] == UInt8(ascii: ":"), text[index + 1] == UInt8(ascii: "/"),
                text[index + 2] == UInt8(ascii: "/")
            else {
                index += 1
                continue
            }
            let start = index + 3
            let end = text[start...].firstIndex(where: endsAuthority) ?? text.endIndex
            if let at = text[start..<end].lastIndex(of: UInt8(ascii: "@")),
                let colon = text[start..<at].firstIndex(of: UInt8(ascii: ":")), colon + 1 < at
            {
                found.append((colon + 1)..<at)
            }
            index = end
        }
        return found
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte <= 0x20 || Array("/?#\"'".utf8).contains(byte)
    }

    /// Returns the ranges of the values after the names of header fields with credentials (`X-Api-Key: abc`), and after the
    /// keys of `auth` (`bearer: abc`). References, such as `${secrets.key}`, are shown.
    private static func fieldValues(in line: ArraySlice<UInt8>, of file: SourceFile) -> [Range<Int>] {
        keys(in: line, of: file).filter(\.isCredential).flatMap { key -> [Range<Int>] in
            var value = key.value
            guard let first = value.first, !Array("{|>*#".utf8).contains(first) else { return [] }
            // The name of the scheme is not secret (RFC 9110, section 11.4).
            let scheme = value.prefix(while: isOfName)
            if key.name.lowercased() == "authorization", value[scheme.endIndex...].first == UInt8(ascii: " ") {
                value = value[scheme.endIndex...].drop { $0 == UInt8(ascii: " ") }
            }
            // An input can be named 'password'; its type is shown. So are paths, and references whose braces are missing.
            let isType = value.starts(with: "string".utf8)
            let isReference = ["secrets.", "session.", "inputs.", "steps.", "vars.", ".", "["].contains { root in
                value.starts(with: "$\(root)".utf8) || root.count > 1 && value.starts(with: root.utf8)
            }
            return isType || isReference ? [] : literals(in: value)
        }
    }

    /// A key in a line, and what follows it: its value, or the start of one that continues on the next line.
    private struct Key {
        var name: String
        var isCredential: Bool
        /// The rest of the line, without an anchor and a tag before the value.
        var rest: ArraySlice<UInt8>
        var isInFlow: Bool

        /// The value in the line.
        var value: ArraySlice<UInt8> { WrittenCredentials.scalar(at: rest, isInFlow: isInFlow).0 }
        /// Whether the value may continue on the next line.
        var isOpen: Bool { WrittenCredentials.scalar(at: rest, isInFlow: isInFlow).isOpen }
        /// Whether the value is a block scalar, on the next lines.
        var isBlock: Bool { rest.first.map { Array("|>".utf8).contains($0) } ?? false }
    }

    /// - Parameter file: The file, if values with an anchor count as credentials that a credential refers to.
    private static func keys(in line: ArraySlice<UInt8>, of file: SourceFile? = nil) -> [Key] {
        var found: [Key] = []
        var isInFlow = false
        // The keys of the mappings and lists that are open.
        var open: [String] = []
        for index in line.indices {
            switch line[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                if line[..<index].last != UInt8(ascii: "$") { isInFlow = true }
                open.append(found.last?.name ?? "")
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
            case UInt8(ascii: "&"):
                guard let file, " [{,".utf8.contains(line[..<index].last ?? UInt8(ascii: " ")),
                    isUsedAsCredential(anchored: line[index...], in: file)
                else { continue }
                // Also the value of an element: `- &k abc`.
                let name = line[..<index].allSatisfy(isBeforeContent) ? "" : found.last?.name ?? ""
                let value = withoutProperties(line[index...])
                found.append(Key(name: name, isCredential: true, rest: value, isInFlow: isInFlow))
            default: break
            }
            guard line[index] == UInt8(ascii: ":"), let name = name(before: index, in: line) else { continue }
            let rest = line[index...].dropFirst()
            let after = rest.drop { $0 == UInt8(ascii: " ") }
            guard after.startIndex > rest.startIndex || after.isEmpty || name.isQuoted else { continue }
            // A key in credentials that is misspelt or misplaced may have one, too.
            let isInCredentials = open.contains(where: methods.contains) && !harmlessKeys.contains(name.text)
            let isCredential = isField(name.text) || isInCredentials
            let value = withoutProperties(after)
            found.append(Key(name: name.text, isCredential: isCredential, rest: value, isInFlow: isInFlow))
        }
        return found
    }

    /// The keys whose values are credentials, and the keys of the parts that are not.
    private static let methods: Set = ["apiKey", "auth", "awsSigV4", "basic", "digest", "oauth2"]
    private static let harmlessKeys: Set = [
        "accessKey", "apiKey", "audience", "authorizationURL", "awsSigV4", "basic", "clientAuth", "clientId",
        "deviceURL", "digest", "grant", "in",
        "name",
        "netrc", "oauth2", "redirectURL", "region", "revocationURL", "scope", "service", "store", "tokenURL",
        "username",
    ]

    private static func name(before colon: Int, in line: ArraySlice<UInt8>) -> (text: String, isQuoted: Bool)? {
        var before = line[..<colon]
        let quote = before.last.flatMap { isQuote($0) ? $0 : nil }
        if quote != nil { before.removeLast() }
        let start = if let quote { before.lastIndex(of: quote) } else { before.lastIndex { !isOfName($0) } }
        let name = before[(start.map { $0 + 1 } ?? before.startIndex)...]
        return name.isEmpty ? nil : (unescaped(name), quote != nil)
    }

    /// Returns a key in which escapes of characters by number are decoded.
    private static func unescaped(_ key: ArraySlice<UInt8>) -> String {
        var rest = key
        var text = ""
        while let backslash = rest.firstIndex(of: UInt8(ascii: "\\")) {
            text += String(decoding: rest[..<backslash], as: UTF8.self)
            rest = rest[backslash...].dropFirst()
            let counts = [UInt8(ascii: "x"): 2, UInt8(ascii: "u"): 4, UInt8(ascii: "U"): 8]
            let digits = rest.dropFirst().prefix(rest.first.flatMap { counts[$0] } ?? 0)
            guard let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
                let scalar = Unicode.Scalar(code)
            else { continue }
            text.unicodeScalars.append(scalar)
            rest = rest[digits.endIndex...]
        }
        return text + String(decoding: rest, as: UTF8.self)
    }

    /// Returns a value without the anchor and the tag before it.
    private static func withoutProperties(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let first = value.first, Array("&!".utf8).contains(first) else { return value }
        return withoutProperties(value.drop { $0 != UInt8(ascii: " ") }.drop { $0 == UInt8(ascii: " ") })
    }

    /// Returns the scalar at the start of a text, without quotes, or a list of them; and whether it has no end.
    private static func scalar(at text: ArraySlice<UInt8>, isInFlow: Bool) -> (ArraySlice<UInt8>, isOpen: Bool) {
        guard let first = text.first else { return (text, true) }
        if isQuote(first) {
            var index = text.startIndex + 1
            while index < text.endIndex, text[index] != first || text[index...].dropFirst().first == first {
                // In double quotes, a backslash escapes the next character; in single quotes, a quote is doubled.
                let isEscape = text[index] == UInt8(ascii: "\\") && first == UInt8(ascii: "\"")
                index += isEscape || text[index] == first ? 2 : 1
            }
            return (text.dropFirst().prefix(upTo: min(index, text.endIndex)), index >= text.endIndex)
        }
        let ends = first == UInt8(ascii: "[") ? Array("]".utf8) : isInFlow || hasKey(text) ? Array(",}]".utf8) : []
        var index = text.startIndex
        while index < text.endIndex, !ends.contains(text[index]) {
            index = text[index...].starts(with: "${".utf8) ? endOfExpression(at: index, in: text) : index + 1
        }
        return (text[..<index], index == text.endIndex)
    }

    /// Whether a text has a comma and then a key, as in a mapping that started on an earlier line.
    private static func hasKey(_ text: ArraySlice<UInt8>) -> Bool {
        text.indices.contains { index in
            guard text[index] == UInt8(ascii: ",") else { return false }
            let name = text[index...].dropFirst().drop { $0 == UInt8(ascii: " ") }
            let rest = name.drop(while: isOfName)
            return rest.startIndex > name.startIndex && rest.starts(with: ": ".utf8)
        }
    }

    /// Returns the ranges of a line that belong to a credential whose key is on an earlier line: of a block scalar (`|`,
    /// `>`), of a plain or quoted scalar of several lines, of a list, and of the `value` below `apiKey`.
    private static func continuedValues(
        in line: ArraySlice<UInt8>,
        _ number: Int,
        of file: SourceFile
    ) -> [Range<Int>] {
        guard let outer = key(above: number, of: file) else { return [] }
        let content = line.drop(while: isBeforeContent)
        let first = keys(in: line).first
        let isEntry = first.map { String(decoding: content, as: UTF8.self).hasPrefix("\($0.name):") } ?? false
        if outer.name == "apiKey", isEntry, let first, first.name == "value" { return literals(in: first.value) }
        return outer.isCredential && (outer.isBlock || !isEntry) ? literals(in: content) : []
    }

    /// Returns the key on an earlier line whose value a line is part of.
    ///
    /// - Parameter withAnchors: Whether the values of anchors that credentials refer to count as credentials.
    private static func key(above number: Int, of file: SourceFile, withAnchors: Bool = true) -> Key? {
        let dash = UInt8(ascii: "-")
        func indentation(_ line: ArraySlice<UInt8>) -> Int { line.prefix { $0 == UInt8(ascii: " ") }.count }
        let line = file.bytes[file.byteRange(ofLine: number)]
        var column = indentation(line)
        var isItem = line.dropFirst(column).first == dash
        var isParent = true
        for above in (1..<number).suffix(mostLines).reversed() {
            let outer = file.bytes[file.byteRange(ofLine: above)]
            let start = indentation(outer)
            // A list may have the column of its key.
            let isOfList = isItem && start == column && outer.dropFirst(start).first != dash
            guard start < outer.count, start < column || isOfList else { continue }
            let key = keys(in: outer, of: withAnchors ? file : nil).last
            let isElement = key.map { $0.name.isEmpty && $0.isBlock } ?? false
            let isSibling = !isOfList && !isElement && outer.prefix(while: isBeforeContent).count >= column
            if let key, !isSibling, key.isBlock || isParent && key.isOpen { return key }
            if start == 0 { return nil }
            (column, isItem, isParent) = (start, false, isParent && key == nil)
        }
        return nil
    }

    /// Whether a byte may precede the content of a line: spaces, and the dashes of lists.
    private static func isBeforeContent(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-")
    }

    /// Returns the parts of a text that are not expressions, and the strings in its expressions.
    private static func literals(in text: ArraySlice<UInt8>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var (index, start) = (text.startIndex, text.startIndex)
        while index < text.endIndex {
            guard text[index...].starts(with: "${".utf8) else {
                index += 1
                continue
            }
            if start < index { found.append(start..<index) }
            let end = endOfExpression(at: index, in: text)
            found += strings(in: text[index..<end])
            (index, start) = (end, end)
        }
        if start < text.endIndex { found.append(start..<text.endIndex) }
        return found
    }

    /// Returns the index after an expression `${…}`.
    private static func endOfExpression(at start: Int, in text: ArraySlice<UInt8>) -> Int {
        let strings = strings(in: text[start...])
        let end = text[start...].indices.first { index in
            text[index] == UInt8(ascii: "}") && !strings.contains { $0.contains(index) }
        }
        return end.map { $0 + 1 } ?? text.endIndex
    }

    /// Returns the ranges of the strings in an expression, except names in brackets.
    private static func strings(in expression: ArraySlice<UInt8>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var index = expression.startIndex
        while index < expression.endIndex {
            let quote = expression[index]
            guard isQuote(quote) else {
                index += 1
                continue
            }
            let isName = expression[..<index].last == UInt8(ascii: "[")
            let start = expression[index...].firstIndex { $0 != quote } ?? expression.endIndex
            let end = expression[start...].firstIndex(of: quote) ?? expression.endIndex
            if !isName, start < end { found.append(start..<end) }
            index = expression[end...].firstIndex { $0 != quote } ?? expression.endIndex
        }
        return found
    }

    private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    /// Whether a key is that of a credential in `auth`, or the name of a field with credentials, and not another of a
    /// manifest's own keys, such as `session`.
    private static func isField(_ name: String) -> Bool {
        let ownKeys = ["bearer", "password", "secretKey", "sessionToken", "clientSecret", "refreshToken"]
        if ownKeys.contains(name) || NearestName.of(name.lowercased(), among: ["password"]) != nil { return true }
        return CredentialNames.contains(name) && !["accessKey", "apiKey", "auth", "secret", "session"].contains(name)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }
}
