import WaybillContract
import WaybillFormats
import WaybillJSON

extension ManifestWriter {
    static let formType = "application/x-www-form-urlencoded"

    /// Returns the value of `body`, and changes the header fields so that `Content-Type` is there if it must be.
    mutating func bodyForm(_ request: ImportedRequest, headers: inout [ImportedField]) -> ManifestNode? {
        let index = headers.firstIndex { $0.name.lowercased() == "content-type" }
        let header = index.flatMap { headers[$0].value.literal }
        /// Removes the header field if the body has this type anyway.
        func dropHeader(_ type: String) {
            if let index, header == type { headers.remove(at: index) }
        }
        switch request.body {
        case nil: return nil
        case .text(let text, let type):
            let type = index == nil ? type : header
            if let type, Self.isJSON(type), let node = jsonNode(text, isExact: request.isExact) {
                if request.isExact, let literal = text.literal, let json = try? JSONParser().parse(literal.utf8),
                    // Spaces mean nothing.
                    JSONWriter().string(json).filter({ !$0.isWhitespace }) != literal.filter({ !$0.isWhitespace })
                {
                    let reason = "a member is a secret, and JSON is written without needless escapes"
                    requestLosses.add("the spelling of the JSON body", reason, at: request.span)
                }
                dropHeader("application/json")
                if index == nil, type != "application/json" {
                    headers.append(ImportedField("Content-Type", ImportedText(type)))
                }
                return .map(("json", node))
            }
            if type == Self.formType, let fields = Self.formFields(text) {
                dropHeader(Self.formType)
                return .map(("form", .map(fieldEntries(fields))))
            }
            if index == nil, let type { headers.append(ImportedField("Content-Type", ImportedText(type))) }
            var scan = SecretScan()
            scan.add(text.literal ?? "")
            hide(scan)
            // `password={{word}}`
            for (before, part) in zip(text.parts, text.parts.dropFirst()) {
                guard case .variable(let name) = part, case .literal(let start) = before, locals[name] == nil else {
                    continue
                }
                if SecretScan.endsWithName(String(start.suffix(80))) { secretVariables.insert(name) }
            }
            return .map(("text", .string(template(text))))
        case .form(let fields):
            dropHeader(Self.formType)
            return .map(("form", .map(fieldEntries(fields))))
        case .multipart(let parts):
            // The boundary is chosen when the request is sent.
            if let index, header == nil || header?.hasPrefix("multipart/form-data") == true {
                headers.remove(at: index)
            }
            guard !parts.isEmpty else { return nil }
            return .map(("multipart", .list(of: parts.map { partNode($0, request) })))
        case .file(let path, let type):
            if index == nil, let type { headers.append(ImportedField("Content-Type", ImportedText(type))) }
            return .map(("file", .string(insidePath(path, request))))
        case .graphQL(let query, let variables):
            dropHeader("application/json")
            // Without a query, the body is not a GraphQL request.
            if query.isEmpty { return .map(("json", .map(("query", .string(""))))) }
            var entries = [ManifestEntry("query", .string(template(query)))]
            if let variables, !Self.isBlank(variables) {
                if case .map(let members, _)? = jsonNode(variables, isExact: false) {
                    if !members.isEmpty { entries.append(ManifestEntry("variables", .map(members))) }
                } else {
                    let what = "the GraphQL variables '\(Self.source(variables))'"
                    requestLosses.add(what, "they are not a JSON object", at: request.span)
                }
            }
            return .map(("graphql", .map(entries)))
        case .bytes(let bytes):
            return .map(("base64", .string(Template(constant: Base64.encode(bytes)))))
        }
    }

    private static func isBlank(_ text: ImportedText) -> Bool {
        text.literal.map { $0.allSatisfy(\.isWhitespace) } ?? false
    }

    /// Whether a text is a media type, perhaps with parameters.
    private static func isMediaType(_ text: String) -> Bool {
        let parts = (text.split(separator: ";").first ?? "").split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { String($0).withoutOuterBlanks.isToken } && text.isFieldValue
    }

    /// Whether a media type is JSON.
    static func isJSON(_ type: String) -> Bool { MediaTypeName(type).isJSON }

    /// Returns the fields of a form, if encoding them gives the same text.
    private static func formFields(_ text: ImportedText) -> [ImportedField]? {
        guard let literal = text.literal, !literal.isEmpty else { return nil }
        let spaced = literal.replacing("+", with: "%20")
        guard let fields = QueryFields.fields(of: ImportedText(spaced), isExact: false) else { return nil }
        let sent = fields.map { "\(PercentEncoding.form($0.name))=\(PercentEncoding.form($0.value.literal ?? ""))" }
        // A map has the values of a name next to each other, and sends a list as name[].
        let names = Set(fields.map { Array($0.name.utf8) })
        return sent.joined(separator: "&") == literal && names.count == fields.count ? fields : nil
    }

    private mutating func partNode(_ part: ImportedPart, _ request: ImportedRequest) -> ManifestNode {
        var entries = [ManifestEntry("name", .string(reading(part.name)))]
        switch part.content {
        case .file(let path): entries.append(ManifestEntry("file", .string(insidePath(path, request))))
        case .text(let text):
            let value = template(text, named: part.name)
            entries.append(ManifestEntry(part.contentType == nil ? "value" : "text", .text(value)))
        }
        if let filename = part.filename { entries.append(ManifestEntry("filename", .string(reading(filename)))) }
        if let type = part.contentType, !Self.isMediaType(type) {
            let what = "the type '\(type)' of the part '\(part.name)'"
            requestLosses.add(what, "it is not a media type", at: request.span)
        } else if let type = part.contentType {
            entries.append(ManifestEntry("contentType", .string(literal(type))))
        }
        if !part.headers.isEmpty { entries.append(ManifestEntry("headers", .map(fieldEntries(part.headers)))) }
        return .map(entries)
    }

    /// The path of a file relative to the manifest. One that is elsewhere is expected next to the manifest.
    mutating func insidePath(_ path: String, _ request: ImportedRequest) -> Template {
        reading(FileReference.inside(path, at: request.span, &requestLosses))
    }

    /// Returns a template for a text in which variables are written as `ManifestWriter.source` does.
    private mutating func reading(_ text: String) -> Template { template(BracedText.text(text) { .variable($0) }) }

    // MARK: JSON

    /// The maximum depth and length of names in bodies that are written as YAML.
    private static let maximumDepth = 40
    private static let maximumName = 500

    /// Returns a text of JSON as a value; nil if it is not JSON, or if the value would be sent as another text that does
    /// not mean the same, or must be the same.
    mutating func jsonNode(_ text: ImportedText, isExact: Bool) -> ManifestNode? {
        let marked = MarkedJSON(text)
        guard let document = try? JSONParser().parseDocument(marked.text.utf8), document.duplicateName == nil,
            document.loneSurrogates == nil, Self.fits(document.value, depth: 0)
        else { return nil }
        // A secret that is found only by its place counts more than the spaces of the text.
        if isExact, !Self.hasSecret(document.value) {
            guard let literal = text.literal, JSONWriter().string(document.value) == literal else { return nil }
        }
        return node(document.value, named: "", marked)
    }

    /// Whether JSON has a member with the name of a secret whose value the text does not show as one.
    private static func hasSecret(_ json: JSON) -> Bool {
        switch json {
        case .object(let members):
            members.contains { SecretNames.contains($0.name) && isSecret($0.value) || hasSecret($0.value) }
        case .array(let elements): elements.contains(where: hasSecret)
        default: false
        }
    }

    private static func isSecret(_ json: JSON) -> Bool {
        guard let text = json.string else { return json.kind == .number }
        return !text.isEmpty && !(SecretPool.finds(text) && JSONWriter().string(json) == "\"\(text)\"")
    }

    private static func fits(_ json: JSON, depth: Int) -> Bool {
        guard depth < maximumDepth else { return false }
        switch json {
        case .object(let members):
            return members.allSatisfy {
                $0.name.utf8.count <= maximumName && !$0.name.contains(MarkedJSON.mark)
                    && fits($0.value, depth: depth + 1)
            }
        case .array(let elements): return elements.allSatisfy { fits($0, depth: depth + 1) }
        default: return true
        }
    }

    private mutating func node(_ json: JSON, named name: String, _ marked: MarkedJSON) -> ManifestNode {
        switch json {
        case .object(let members):
            return .map(members.map { ManifestEntry($0.name, node($0.value, named: $0.name, marked)) })
        case .array(let elements): return .list(of: elements.map { node($0, named: name, marked) })
        case .string(let string):
            if let value = marked.bareValue(string) {
                // The value is a part of the JSON text.
                let expression = code(ImportedText([value]))
                let isText = if case .variable(let name) = value { uses.strings.contains(name) } else { false }
                let isValue = scopedExpressions.contains(expression) && !isText
                return .string(Template(expression: isValue ? expression : "parse(\(expression))"))
            }
            let text = marked.text(string)
            if SecretNames.contains(name) { return .string(template(text, named: name)) }
            if text.parts.count == 1, text.literal == nil {
                let expression = code(text)
                // A captured value may be a number, but is a string here.
                let isScoped = scopedExpressions.contains(expression)
                return .string(Template(expression: isScoped ? "string(\(expression))" : expression))
            }
            return .string(template(text))
        case .number where SecretNames.contains(name):
            let secret = secrets.name(ofValue: JSONWriter().string(json), suggestion: SecretNames.secret(for: name))
            return .string(Template(expression: "parse(secrets.\(secret))"))
        default: return ManifestNode(json) { $0 }
        }
    }
}

/// A text of JSON with marks instead of the references in it, so that it can be parsed.
struct MarkedJSON {
    /// A character that surrounds the number of a reference; it is not in texts of sources.
    static let mark = "\u{F8FF}"

    private(set) var text = ""
    private var references: [(part: ImportedText.Part, isBare: Bool)] = []

    init(_ source: ImportedText) {
        var isInString = false
        for part in source.parts {
            guard case .literal(let literal) = part else {
                let mark = "\(Self.mark)\(references.count)\(Self.mark)"
                text += isInString ? mark : "\"\(mark)\""
                references.append((part, !isInString))
                continue
            }
            var isEscaped = false
            for byte in literal.utf8 {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = isInString
                } else if byte == UInt8(ascii: "\"") {
                    isInString.toggle()
                }
            }
            text += literal
        }
    }

    /// The reference that a string represents, if it was outside of strings.
    func bareValue(_ string: String) -> ImportedText.Part? {
        let pieces = string.components(separatedBy: Self.mark)
        guard pieces.count == 3, pieces[0].isEmpty, pieces[2].isEmpty, let index = Int(pieces[1]),
            references.indices.contains(index), references[index].isBare
        else { return nil }
        return references[index].part
    }

    /// The string with its references.
    func text(_ string: String) -> ImportedText {
        var result = ImportedText()
        for (index, piece) in string.components(separatedBy: Self.mark).enumerated() {
            if index % 2 == 1, let number = Int(piece), references.indices.contains(number) {
                result.append(references[number].part)
            } else {
                result.append(.literal(piece))
            }
        }
        return result
    }
}

extension String {
    /// The parts of the string between a separator.
    fileprivate func components(separatedBy separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}
