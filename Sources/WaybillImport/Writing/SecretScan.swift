import WaybillDiagnostics
import WaybillFormats
import WaybillJSON

/// Finds what is secret in a source of any kind before anything of it is written, judging by the names before it.
package struct SecretScan: Sendable {
    /// The values, and the names of the fields with them.
    private(set) var found: [(value: String, name: String)] = []

    /// Finds nothing.
    package init() {}

    /// Adds the secrets of a source: of JSON, of each string in it.
    mutating func add(_ source: SourceFile) {
        if let json = try? JSONParser().parse(source.bytes) {
            add(json)
        } else {
            add(String(decoding: source.bytes, as: UTF8.self))
        }
    }

    /// Adds the secrets of JSON.
    mutating func add(_ json: JSON) {
        switch json {
        case .string(let text): add(text)
        case .array(let elements):
            // The lines of a script.
            let lines = elements.compactMap(\.string)
            if lines.count == elements.count { return add(lines.joined(separator: "\n")) }
            for element in elements { add(element) }
        case .object(let members):
            // `{"key": "password", "value": "…"}`
            if let name = members["key"]?.string ?? members["id"]?.string ?? members["name"]?.string,
                let value = members["value"]?.string,
                Self.isSecret(name) || members["type"]?.string == "secret"
            {
                add(value, of: name)
            }
            for (name, value) in members {
                if Self.isSecret(name) {
                    for text in (value.array ?? [value, value["value"] ?? .null]).compactMap(\.string) {
                        add(text, of: name)
                    }
                }
                add(value)
            }
        default: break
        }
    }

    private static func isSecret(_ name: String) -> Bool {
        SecretNames.contains(name) || name.contains("-") && SecretNames.containsHeader(name)
    }

    /// Adds the value of a field.
    mutating func add(_ value: String, of name: String) {
        // The name of the scheme is not secret (RFC 9110, section 11.4).
        let words = value.split(separator: " ", maxSplits: 1).map(String.init)
        let isScheme = words.count == 2 && ["bearer", "basic", "token", "apikey"].contains(words[0].lowercased())
        let secret = isScheme ? words[1] : value
        found.append((secret, SecretNames.secret(for: name)))
        guard isScheme, let bytes = Base64.decode(secret), let text = String(validating: bytes, as: UTF8.self),
            let colon = text.firstIndex(of: ":")
        else { return }
        found.append((String(text[text.index(after: colon)...]), "password"))
    }

    /// Adds the values after the names of secrets in a text: `"password": "…"`, `token=…`, `<secret>…<`, `set('token', '…')`,
    /// `json.token).to.eql('…')`, `Bearer …` and `//user:…@`.
    mutating func add(_ text: String, isDecoded: Bool = false) {
        // A URL in the query of another one.
        for word in text.utf8.split(whereSeparator: { " \t\n\"'".utf8.contains($0) }) where !isDecoded {
            guard ["%3D", "%3d"].contains(where: { word.firstRange(of: Array($0.utf8)) != nil }) else { continue }
            if let decoded = PercentEncoding.decoded(String(Substring(word))) { add(decoded, isDecoded: true) }
        }
        let bytes = Array(text.utf8)
        var index = 0
        var isCurl = false
        while index < bytes.count {
            guard Self.isOfName(bytes[index]) else {
                if bytes[index] == UInt8(ascii: ":"), bytes[index...].starts(with: "://".utf8) {
                    addPassword(bytes[(index + 3)...])
                }
                if bytes[index] == UInt8(ascii: "\n"), index > 0, bytes[index - 1] != UInt8(ascii: "\\") {
                    isCurl = false
                }
                index += 1
                continue
            }
            let word = bytes[index...].prefix(while: Self.isOfName)
            isCurl = isCurl || word.elementsEqual("curl".utf8)
            if isCurl, word.first == UInt8(ascii: "-") { addOption(word, bytes[word.endIndex...]) }
            if Self.starts.contains(where: bytes[index...].starts),
                case let token = bytes[index...].prefix(while: { Self.isOfName($0) || $0 == UInt8(ascii: ".") }),
                token.count >= 20, Self.isRandom(token)
            {
                add(String(decoding: token, as: UTF8.self), of: "token")
                index = token.endIndex
                continue
            }
            // A longer word is no name, but may be a value.
            if word.count <= 64 {
                let name = String(decoding: word, as: UTF8.self)
                // `password1` is a value more often than a name.
                let endsInDigit = name.unicodeScalars.last.map(NameForms.isDigit) ?? false
                if ["bearer", "basic"].contains(name.lowercased()) {
                    let token = bytes[word.endIndex...].drop { $0 == UInt8(ascii: " ") }.prefix(while: Self.isOfToken)
                    if Self.isRandom(token), token.startIndex > word.endIndex {
                        add("\(name) \(String(decoding: token, as: UTF8.self))", of: "token")
                    }
                } else if Self.isSecret(name) && !endsInDigit || name == "key" && Self.isInQuery(word, bytes),
                    let value = Self.value(after: word, in: bytes),
                    name != "key" || Self.isRandom(Array(value.utf8)[...])
                {
                    add(value, of: name)
                }
            }
            index = word.endIndex
        }
    }

    /// Whether a word is the name of a field in a query.
    private static func isInQuery(_ word: ArraySlice<UInt8>, _ bytes: [UInt8]) -> Bool {
        bytes[..<word.startIndex].last.map("?&".utf8.contains) ?? false
            && bytes[word.endIndex...].first == UInt8(ascii: "=")
    }

    /// Adds the secret in the value of an option of curl, also in a command that is a comment.
    private mutating func addOption(_ name: ArraySlice<UInt8>, _ rest: ArraySlice<UInt8>) {
        let text = rest.prefix(1 << 10).drop { " =".utf8.contains($0) }
        let quote = text.first.flatMap { "'\"".utf8.contains($0) ? $0 : nil }
        let value = text.dropFirst(quote == nil ? 0 : 1).prefix { $0 == quote ? false : quote != nil || $0 > 0x20 }
        switch String(decoding: name, as: UTF8.self) {
        case "--user", "--proxy-user", "-u", "-U":
            guard let colon = value.firstIndex(of: UInt8(ascii: ":")) else { return }
            add(String(decoding: value[(colon + 1)...], as: UTF8.self), of: "password")
        case "--oauth2-bearer", "--pass", "--proxy-pass", "--tlspassword", "--proxy-tlspassword":
            add(String(decoding: value, as: UTF8.self), of: "password")
        case "--cookie", "-b":
            for pair in value.split(separator: UInt8(ascii: ";")) {
                let cookie = pair.drop { $0 != UInt8(ascii: "=") }.dropFirst()
                if Self.isRandom(cookie) { add(String(decoding: cookie, as: UTF8.self), of: "cookie") }
            }
        default: break
        }
    }

    /// The maximum length of a line that may be a sentence.
    private static let maximumSentence = 2000

    /// Returns a comment without the values in sentences such as `the password is x1y2z3`.
    static func masked(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> Substring in
            guard line.utf8.count < maximumSentence, SecretNames.marks.contains(where: line.lowercased().contains)
            else { return line }
            let isCode = line.contains { "(){}[]$;".contains($0) }
            return line.replacing(
                #/([A-Za-z][\w-]{0,40})(["'`]? +(?:is|was) +|["'`]? *(?:[:=]|->) *)(["'`]?)([^\s"'`,;*(){}$]{6,})/#
            ) { match in
                let value = String(match.4)
                let isLast = match.range.upperBound == line.endIndex && match.2.contains { ":=>".contains($0) }
                // Without quotes, code has names of members.
                let isMember = match.3.isEmpty && value.dropLast().contains(".")
                let isValue = !match.3.isEmpty || isRandom(Array(match.4.utf8)[...]) || isLast && !isCode
                return SecretNames.contains(String(match.1)) && SecretNames.isValue(value) && isValue && !isMember
                    ? "\(match.1)\(match.2)\(match.3)***" : match.0
            }
        }.joined(separator: "\n")
    }

    /// Whether a text ends with the name of a secret and what is before its value: `password=`, `"token": "`.
    static func endsWithName(_ text: String) -> Bool {
        let rest = text.utf8.reversed().drop { " \"':=>".utf8.contains($0) }
        guard rest.count < text.utf8.count else { return false }
        let name = rest.prefix { isOfName($0) && $0 != UInt8(ascii: "-") }.prefix(64)
        return SecretNames.contains(String(decoding: name.reversed(), as: UTF8.self))
    }

    /// Returns the value that follows a name; nil if there is none.
    private static func value(after name: ArraySlice<UInt8>, in bytes: [UInt8]) -> String? {
        // An element of XML with attributes: `<wsse:Password Type="…">…<`.
        let isElement = bytes[..<name.startIndex].last.map { "<:".utf8.contains($0) } ?? false
        let head = bytes[name.endIndex...].prefix(256).prefix { $0 != UInt8(ascii: "<") }
        let end = isElement && head.first == UInt8(ascii: " ") ? head.firstIndex(of: UInt8(ascii: ">")) : nil
        let nameEnd = end ?? name.endIndex
        let rest = bytes[nameEnd...].prefix(256)
        let marks = rest.prefix { " \t\n\r\"'\\:=,>()[].".utf8.contains($0) || isOfName($0) }
        // What compares the name with a value, or sets it.
        var gap = rest.prefix { " \t\n\r\"'\\:=,>)[]".utf8.contains($0) }
        var isMarked = false
        for mark in [".to.eql(", ".to.equal(", ".to.eq(", ".to.be.eql(", ".to.be.equal(", ".to.deep.equal(", "value"] {
            if let end = marks.firstRange(of: Array(mark.utf8))?.upperBound, end <= gap.endIndex + mark.utf8.count {
                isMarked = true
                gap = rest[rest.startIndex..<end] + bytes[end...].prefix { " \t\"'\\:".utf8.contains($0) }
            }
        }
        // An object that has the value: `"credentials": {"value": "…"}`.
        let inside = rest.prefix { " \t\n\r\"'\\:{".utf8.contains($0) }
        if inside.contains(UInt8(ascii: "{")), bytes[inside.endIndex...].starts(with: "value".utf8) {
            isMarked = true
            let end = inside.endIndex + "value".utf8.count
            gap = rest[rest.startIndex..<end] + bytes[end...].prefix { " \t\"'\\:".utf8.contains($0) }
        }
        guard gap.contains(where: { ":=,>(".utf8.contains($0) }) else { return nil }
        // After a comma, there is a value only in a call, as in `set('token', '…')`: other commas are between members.
        if !isMarked, let comma = gap.firstIndex(of: UInt8(ascii: ",")),
            !gap[..<comma].contains(where: { ":=(".utf8.contains($0) })
        {
            let before = bytes[..<name.startIndex].suffix(4).last { !"\"'\\ ".utf8.contains($0) }
            guard before == UInt8(ascii: "("), !gap[..<comma].contains(UInt8(ascii: ")")) else { return nil }
        }
        let start = nameEnd + gap.count
        let value = bytes[start...]
        if let quote = gap.last, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
            gap.dropLast().contains(where: { ":=,(".utf8.contains($0) })
        {
            let text = value.prefix(16 << 10).prefix { $0 != quote && $0 != UInt8(ascii: "\\") && $0 != 10 }
            return String(decoding: text, as: UTF8.self)
        }
        let mark = "<![CDATA["
        if gap.last == UInt8(ascii: ">"), value.starts(with: mark.utf8) {
            let text = value.dropFirst(mark.utf8.count).prefix(16 << 10).prefix { $0 != UInt8(ascii: "]") }
            return String(decoding: text, as: UTF8.self)
        }
        let isAssigned = gap.last == UInt8(ascii: "=") || gap.last == UInt8(ascii: ">")
        var text = value.prefix { $0 > 0x20 && !"&,;<>\"'`(){}\\".utf8.contains($0) }
        // A parameter of a segment of a path (RFC 3986, section 3.3) ends with the segment.
        if bytes[..<name.startIndex].last == UInt8(ascii: ";"), gap.elementsEqual("=".utf8) {
            text = text.prefix { !"/?#".utf8.contains($0) }
        }
        if ["bearer", "basic"].contains(String(decoding: text, as: UTF8.self).lowercased()) { return nil }
        // `sha256=${VARIABLE}`
        if text.last == UInt8(ascii: "$"), text.endIndex < bytes.count, bytes[text.endIndex] == UInt8(ascii: "{") {
            text.removeLast()
        }
        while let last = text.last, ".:".utf8.contains(last) { text.removeLast() }
        return (isAssigned && !gap.contains(UInt8(ascii: " "))) || isRandom(text)
            ? String(decoding: text, as: UTF8.self) : nil
    }

    /// Adds the password of a URL.
    private mutating func addPassword(_ bytes: ArraySlice<UInt8>) {
        let authority = bytes.prefix(1 << 10).prefix { $0 > 0x20 && !"/?#\"'".utf8.contains($0) }
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")),
            let colon = authority[..<at].firstIndex(of: UInt8(ascii: ":"))
        else { return }
        add(String(decoding: authority[(colon + 1)..<at], as: UTF8.self), of: "password")
    }

    /// How tokens of widespread services start, and web tokens (RFC 7519): they are secret whatever their names are.
    private static let starts = [
        "AIza", "AKIA", "ASIA", "SG.", "eyJ", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "hvs.", "rk_live_",
        "sk-", "sk_live_", "sk_test_", "xoxb-", "xoxp-", "ya29.",
    ].map { Array($0.utf8) }

    /// Whether characters without quotes are no word of a sentence.
    private static func isRandom(_ text: ArraySlice<UInt8>) -> Bool {
        text.count >= 8 && text.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func isOfToken(_ byte: UInt8) -> Bool { isOfName(byte) || ".~+/=".utf8.contains(byte) }

    private static func isOfName(_ byte: UInt8) -> Bool {
        let scalar = Unicode.Scalar(byte)
        return NameForms.isLetter(scalar) || NameForms.isDigit(scalar) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "-")
    }
}
