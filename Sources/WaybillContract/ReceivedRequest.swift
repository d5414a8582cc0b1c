import WaybillFormats
import WaybillJSON
import WaybillSchema

/// A request as a server receives it, to be compared with the operation that it is for.
package struct ReceivedRequest: Sendable {
    /// The path, percent-encoded.
    package let path: String
    /// The query as it was sent; `nil` if there is none.
    package let query: String?
    /// The header fields.
    package let headers: [(name: String, value: String)]
    /// The body; `nil` if it is not known.
    package let body: [UInt8]?

    /// Creates a request from its parts.
    package init(path: String, query: String?, headers: [(name: String, value: String)], body: [UInt8]?) {
        (self.path, self.query, self.headers, self.body) = (path, query, headers, body)
    }

    fileprivate func values(named name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// The names and values of the query or of the cookies. The values are as they were sent.
    fileprivate func pairs(in part: ContractParameter.Part) -> [(name: String, value: String)] {
        let texts =
            part == .query
            ? (query ?? "").split(at: ["&"]) : values(named: "Cookie").flatMap { $0.split(at: [";"]) }
        return texts.map { text in
            let (name, value) = text.assignment
            return (name.withoutOuterBlanks.decodedInQuery, value)
        }
    }
}

extension Operation {
    /// Returns everything in a request that the contract does not permit. Parameters that may be one of several objects or have
    /// `content`, and the fields of forms, are not checked.
    package func violations(of request: ReceivedRequest) -> [String] {
        parameters.flatMap { violations(of: request, in: $0) } + bodyViolations(of: request)
    }

    private func violations(of request: ReceivedRequest, in parameter: ContractParameter) -> [String] {
        let name = "the parameter '\(parameter.name)' in \(parameter.part.rawValue)"
        let sent: SentParameter?
        switch parameter.part {
        case .path: sent = pathText(of: parameter, in: request.path).map(SentParameter.text)
        case .header:
            let values = request.values(named: parameter.name)
            sent = values.isEmpty ? nil : .text(values.joined(separator: ","))
        case .query, .cookie: sent = .pairs(request.pairs(in: parameter.part))
        case .querystring: sent = request.query.map(SentParameter.text)
        }
        guard let sent, parameter.isPresent(in: sent) else {
            // Without a match, the path is not the operation's.
            return parameter.isRequired && parameter.part != .path ? ["\(name) is missing"] : []
        }
        if parameter.isRepeated(in: sent) { return ["\(name) is sent more than once"] }
        let values = parameter.values(of: sent)
        let violations = values.compactMap { parameter.violation(in: $0) }
        guard let first = violations.first, violations.count == values.count else { return [] }
        return [first.sentence(on: name)]
    }

    /// Returns the text of a parameter in a path, which may start with the path of the server.
    private func pathText(of parameter: ContractParameter, in path: String) -> String? {
        guard let index = parameters.firstIndex(where: { $0.part == .path && $0.name == parameter.name }) else {
            return nil
        }
        // The segments of the path, each with the texts and the parameters that it consists of.
        var segments: [[PathPiece]] = [[]]
        for piece in self.path {
            guard case .literal(let text) = piece else {
                segments[segments.count - 1].append(piece)
                continue
            }
            for (number, part) in text.split(at: ["/"]).enumerated() {
                if number > 0 { segments.append([]) }
                if !part.isEmpty { segments[segments.count - 1].append(.literal(part)) }
            }
        }
        for (pieces, text) in zip(segments.reversed(), path.split(at: ["/"]).reversed()) {
            if let found = Self.text(of: index, in: pieces, Array(text.utf8)) { return found }
        }
        return nil
    }

    /// Returns the text of a parameter in a segment of a path; `nil` if the segment does not have it.
    private static func text(of index: Int, in pieces: [PathPiece], _ segment: [UInt8]) -> String? {
        var rest = segment[...]
        var found: String?
        for (position, piece) in pieces.enumerated() {
            switch piece {
            case .literal(let literal):
                guard rest.starts(with: literal.utf8) else { return nil }
                rest = rest.dropFirst(literal.utf8.count)
            case .parameter(let number):
                var value = rest
                if position + 1 < pieces.count {
                    // Where one of two adjacent parameters ends is not known.
                    guard case .literal(let next) = pieces[position + 1] else { return nil }
                    guard let end = rest.indices.first(where: { rest[$0...].starts(with: next.utf8) }) else {
                        return nil
                    }
                    value = rest[..<end]
                }
                rest = rest[value.endIndex...]
                if number == index { found = String(decoding: value, as: UTF8.self) }
            }
        }
        return found
    }

    private func bodyViolations(of request: ReceivedRequest) -> [String] {
        guard let body = request.body else {
            return self.body == nil ? [] : ["the body is too large to be compared with its contract"]
        }
        guard let declared = self.body else { return body.isEmpty ? [] : ["the operation takes no body"] }
        guard !body.isEmpty else { return declared.isRequired ? ["the body is missing"] : [] }
        guard let written = request.values(named: "Content-Type").first else {
            return ["the request has no Content-Type"]
        }
        let type = MediaTypeName(written)
        guard let media = declared.media(for: type) else { return [declared.message(refusing: type)] }
        let value: JSON
        if type.isJSON {
            guard let json = try? JSONParser(stopsAtLimit: true).parse(body) else { return ["the body is not JSON"] }
            value = json
        } else if type.isText, let text = String(validating: body, as: UTF8.self) {
            value = .string(text)
        } else {
            return []
        }
        return media.violations(in: value, as: type).map { $0.sentence(on: "the body") }
    }
}

/// What a request has of a parameter.
private enum SentParameter {
    /// Its text in a path, a header field or the whole query.
    case text(String)
    /// All pairs of the query or of the cookies.
    case pairs([(name: String, value: String)])
}

extension ContractParameter {
    /// Whether a request has the parameter.
    fileprivate func isPresent(in sent: SentParameter) -> Bool {
        guard case .pairs(let pairs) = sent else { return true }
        if writer?.style == .deepObject { return pairs.contains { $0.name.utf8.starts(with: "\(name)[".utf8) } }
        if writer?.explodes == true, let properties = schemaDocument["properties"]?.object {
            return pairs.contains { pair in properties[pair.name] != nil }
        }
        return pairs.contains { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// Whether a value that is not a list is sent several times, so that it is not clear which one counts.
    fileprivate func isRepeated(in sent: SentParameter) -> Bool {
        guard case .pairs(let pairs) = sent, let writer, writer.style != .deepObject else { return false }
        let isList = TypedText.type(of: schemaDocument) == "array" && writer.explodes
        let mayBeList = TypedText.type(of: schemaDocument) == nil || isList || mayBeObject && writer.explodes
        return !mayBeList && pairs.count { $0.name.utf8.elementsEqual(name.utf8) } > 1
    }

    /// Returns the values that may have been sent: text can be a string, a number or a Boolean value, where the schema does not
    /// say which. Empty if that cannot be told.
    fileprivate func values(of sent: SentParameter) -> [JSON] {
        guard let writer else { return [] }
        switch TypedText.type(of: schemaDocument) {
        case "array": return Self.lists(writer.elements(in: sent), schemaDocument["items"] ?? true)
        case "object":
            let properties = schemaDocument["properties"]?.object ?? JSONObject()
            guard let members = writer.members(in: sent, among: properties.names) else { return [] }
            return TypedText.readings.map { read in
                .object(JSONObject(members.map { ($0.name, read($0.value, properties[$0.name] ?? true)) }))
            }
        case _?: return writer.text(in: sent).map { [TypedText.value(of: $0, schemaDocument)] } ?? []
        case nil:
            // An object could be sent in many ways.
            if mayBeObject { return [] }
            let scalars = writer.text(in: sent).map { text in TypedText.readings.map { $0(text, schemaDocument) } }
            return (scalars ?? []) + Self.lists(writer.elements(in: sent), true)
        }
    }

    private static func lists(_ elements: [String]?, _ items: JSON) -> [JSON] {
        guard let elements else { return [] }
        return TypedText.readings.map { read in .array(elements.map { read($0, items) }) }
    }
}

extension ParameterWriter {
    /// Returns the text of a scalar, as `text(of:)` writes it.
    fileprivate func text(in sent: SentParameter) -> String? {
        switch sent {
        case .pairs(let pairs): pairs.first { $0.name.utf8.elementsEqual(name.utf8) }.map { decoded($0.value) }
        case .text(let text): withoutPrefix(text).map(decoded)
        }
    }

    /// Returns the texts of the elements of a list.
    fileprivate func elements(in sent: SentParameter) -> [String]? {
        switch sent {
        case .pairs(let pairs):
            let values = pairs.filter { $0.name.utf8.elementsEqual(name.utf8) }.map(\.value)
            return (explodes ? values : values.flatMap { $0.split(at: delimiters) }).map(decoded)
        case .text(let text):
            if style == .matrix, explodes {
                return text.split(at: [";"]).dropFirst().map { decoded($0.assignment.value) }
            }
            return withoutPrefix(text)?.split(at: style == .label && explodes ? ["."] : [","]).map(decoded)
        }
    }

    /// Returns the members of an object.
    ///
    /// - Parameter names: The names that are members where those of other parameters are beside them.
    fileprivate func members(in sent: SentParameter, among names: [String]) -> [(name: String, value: String)]? {
        switch sent {
        case .pairs(let pairs):
            if style == .deepObject {
                let start = "\(name)["
                return pairs.filter { $0.name.utf8.starts(with: start.utf8) && $0.name.utf8.last == UInt8(ascii: "]") }
                    .map {
                        (
                            String($0.name.unicodeScalars.dropFirst(start.unicodeScalars.count).dropLast()),
                            decoded($0.value)
                        )
                    }
            }
            if explodes { return pairs.filter { names.contains($0.name) }.map { ($0.name, decoded($0.value)) } }
            guard let value = pairs.first(where: { $0.name.utf8.elementsEqual(name.utf8) })?.value else { return nil }
            return Self.members(of: value.split(at: delimiters).map(decoded))
        case .text(let text):
            let list = style == .matrix && explodes ? text : withoutPrefix(text)
            guard let list else { return nil }
            guard explodes else { return Self.members(of: list.split(at: [","]).map(decoded)) }
            let separator = style == .matrix ? ";" : style == .label ? "." : style == .form ? "&" : ","
            return list.split(at: [separator]).filter { !$0.isEmpty }.map { pair in
                let (name, value) = pair.assignment
                return (decoded(name), decoded(value))
            }
        }
    }

    /// Returns the members whose names and values follow each other; `nil` if there is a name without a value.
    private static func members(of texts: [String]) -> [(name: String, value: String)]? {
        guard texts.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: texts.count, by: 2).map { (texts[$0], texts[$0 + 1]) }
    }

    /// Returns a text without what its style starts with; `nil` if it starts otherwise.
    private func withoutPrefix(_ text: String) -> String? {
        let prefix = style == .label ? "." : style == .matrix ? ";\(name)=" : ""
        return text.utf8.starts(with: prefix.utf8)
            ? String(text.unicodeScalars.dropFirst(prefix.unicodeScalars.count)) : nil
    }

    /// What separates the elements of a list that is one value, as `delimiter` and as it may be sent.
    private var delimiters: [String] {
        switch style {
        case .spaceDelimited: ["%20", "+"]
        case .pipeDelimited: ["%7C", "%7c", "|"]
        default: [","]
        }
    }

    private func decoded(_ text: String) -> String {
        switch style {
        case .simple where encoding == .none: text.withoutOuterBlanks
        case .form, .spaceDelimited, .pipeDelimited, .deepObject: text.decodedInQuery
        default: PercentEncoding.decoded(text) ?? text
        }
    }
}

extension String {
    /// The text with escapes decoded, and `+` as a space.
    fileprivate var decodedInQuery: String {
        let text = replacing("+", with: " ")
        return PercentEncoding.decoded(text) ?? text
    }

    /// The parts before and after the first `=`; the second is empty without one.
    fileprivate var assignment: (name: String, value: String) {
        let halves = utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        return (String(halves[0]) ?? "", halves.count > 1 ? String(halves[1]) ?? "" : "")
    }

    /// Splits the text at each of some separators.
    fileprivate func split(at separators: [String]) -> [String] {
        var texts: [[UInt8]] = [[]]
        var rest = Array(utf8)[...]
        while let byte = rest.first {
            if let separator = separators.first(where: { rest.starts(with: $0.utf8) }) {
                texts.append([])
                rest = rest.dropFirst(separator.utf8.count)
            } else {
                texts[texts.count - 1].append(byte)
                rest = rest.dropFirst()
            }
        }
        return texts.map { String(decoding: $0, as: UTF8.self) }
    }
}
