import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillTransport

/// Decodes the body of a response.
struct ResponseDecoder {
    /// How to decode.
    let decoding: Decoding

    /// Why a response could not be decoded.
    struct DecodingError: Error, Sendable {
        let message: String
        /// The start of the body, if it helps to understand the message.
        var start: String?
    }

    /// A decoded body.
    struct Decoded: Sendable {
        /// The value. An empty body is an empty list if it would have rows or lines, no bytes if the manifest
        /// asks for `bytes`, otherwise null.
        var value: JSON
        /// A name that a JSON object in it has more than once, if there is one. The last value of a name is used.
        var duplicateName: String?
        /// The escapes in its JSON that are half of a surrogate pair; offsets are from the start of the body.
        var loneSurrogates: JSONDocument.LoneSurrogates?
    }

    /// Decodes the body of a response.
    func decode(_ response: HTTPResponse) throws(DecodingError) -> Decoded {
        let decoding = effectiveDecoding(of: response)
        if let foreignTypes = Self.foreignTypes[decoding], !response.body.isEmpty,
            let type = response.headers.first(named: "Content-Type"),
            foreignTypes.contains(where: { $0.contains(type) })
        {
            let words = "its content type is '\(type.excerpt(100))'; 'decoding: text' returns it as a string"
            throw DecodingError(message: "the response is not \(decoding.rawValue.uppercased()): \(words)")
        }
        guard !response.body.isEmpty || self.decoding == .bytes else {
            return Decoded(value: [.csv, .ndjson, .sse].contains(decoding) ? .array([]) : .null)
        }
        switch decoding {
        case .json: return try json(unicode(response))
        case .text: return Decoded(value: .string(try text(response)))
        case .ndjson: return try lines(unicode(response))
        case .sse:
            var (events, reader) = ([JSON](), ServerSentEvents())
            for start in stride(from: 0, to: response.body.count, by: 1 << 20) where !WorkLimit.isReached {
                events += reader.take(response.body[start..<min(start + 1 << 20, response.body.count)])
            }
            if WorkLimit.isReached { throw DecodingError(message: WorkLimit.message) }
            if let problem = reader.problemAtEnd { throw DecodingError(message: problem) }
            return Decoded(value: .array(events))
        // Unlike JSON, CSV has no character set of its own.
        case .csv:
            // RFC 4180, section 3: the first record would be lost as the names of the columns.
            guard Self.parameter("header", of: response) != "absent" else {
                throw DecodingError(
                    message: "the response is CSV without a header (header=absent), so its columns have no names; "
                        + "'decoding: text' returns it as a string"
                )
            }
            return try rows(Array(text(response).utf8))
        case .plist: return try propertyList(response)
        case .xml, .html: return Decoded(value: .string(try document(response, isHTML: decoding == .html)))
        case .bytes, .auto: return Decoded(value: .bytes(Array(response.body)))
        }
    }

    /// Why a response without a body is not a list without elements: its content type does not name the format of a list, so
    /// it may be the response of something else. `nil` if it may be one.
    func emptyList(of response: HTTPResponse) -> DecodingError? {
        guard let names = Self.namesOfLists[decoding] else { return nil }
        let type = response.headers.first(named: "Content-Type")
        if let type = type?.lowercased(), names.contains(where: type.contains) { return nil }
        let words =
            "the response has no body and \(type.map { "the content type '\($0.excerpt(100))'" } ?? "no content type")"
        return DecodingError(message: "\(words), so it is not known to be \(decoding.rawValue.uppercased())")
    }

    /// What `auto` means for a response.
    func effectiveDecoding(of response: HTTPResponse) -> Decoding {
        guard decoding == .auto else { return decoding }
        guard let type = response.headers.first(named: "Content-Type") else {
            return (try? text(response)) == nil ? .bytes : .text
        }
        if let decoding = Self.decodingsByName[type] { return decoding }
        guard let type = MediaRange(type) else { return .bytes }
        return Self.decodings.first { $0.range.contains(type) }?.decoding ?? .bytes
    }

    /// What a decoded body is, if it has no members and elements and is not a JSON value.
    func flatContent(of response: HTTPResponse, as value: JSON) -> FlatContent? {
        switch effectiveDecoding(of: response) {
        case .text, .bytes, .xml, .html: decoding == .auto ? .undeclared : .declared
        case .auto, .json, .ndjson, .sse, .csv, .plist: response.body.isEmpty && value == .null ? .undeclared : nil
        }
    }

    /// The memory in bytes that the values of a body may take while it is decoded: that of bodies of many small values, as
    /// measured.
    func decodedSize(of response: HTTPResponse) -> Int {
        let body = response.body
        switch effectiveDecoding(of: response) {
        // A row is an object, of which each cell is a member: 5 MB of ',' and line breaks take 490 MB.
        case .csv: return 2 * body.count + 160 * body.count { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\n") }
        // The tree of libxml2: 5 MB of '<p>' take 280 MB.
        case .xml, .html: return 60 * body.count
        // A number of two bytes becomes a value of 16, in an array that is copied to grow.
        case .auto, .json, .ndjson, .sse, .plist, .text, .bytes: return 26 * body.count
        }
    }

    /// The decoding of each media type. The first match is used.
    private static let decodings: [(range: MediaRange, decoding: Decoding)] = [
        ("application/json", .json), ("*/*+json", .json), ("text/json", .json), ("application/x-ndjson", .ndjson),
        ("application/ndjson", .ndjson), ("application/jsonl", .ndjson), ("text/event-stream", .sse),
        ("text/csv", .csv),
        ("application/x-plist", .plist), ("text/*", .text), ("application/xml", .text), ("*/*+xml", .text),
        ("application/x-www-form-urlencoded", .text), ("application/javascript", .text),
    ].compactMap { text, decoding in MediaRange(text).map { ($0, decoding) } }

    /// The decoding by the spelling that nearly all servers use, which avoids parsing the media type.
    private static let decodingsByName = Dictionary(
        decodings.map { ($0.range.description, $0.decoding) },
        uniquingKeysWith: { first, _ in first }
    )

    /// What is in the content types of formats of lists, which servers name differently.
    private static let namesOfLists: [Decoding: [String]] = [
        .csv: ["csv", "comma-separated"], .ndjson: ["ndjson", "jsonl", "json-l", "json-seq"], .sse: ["event-stream"],
    ]

    /// The media types of what would be decoded without an error although it is something else, such as a page with a login
    /// or an error of the server: as a header without rows, or as a page of one line.
    private static let foreignTypes: [Decoding: [MediaRange]] = {
        let json = ["application/json", "text/json", "*/*+json"]
        let documents = ["text/html", "application/xml", "text/xml", "*/*+xml"]
        return [.html: json, .csv: json + documents].mapValues { $0.compactMap { MediaRange($0) } }
    }()

    private func json(_ body: [UInt8]) throws(DecodingError) -> Decoded {
        do {
            let document = try JSONParser(stopsAtLimit: true).parseDocument(body)
            return Decoded(
                value: document.value,
                duplicateName: document.duplicateName?.name,
                loneSurrogates: document.loneSurrogates
            )
        } catch {
            let start = String(decoding: body.prefix(60), as: UTF8.self) + (body.count > 60 ? "…" : "")
            throw DecodingError(
                message: "the response is not JSON: \(error.message) at byte \(error.offset)",
                start: start
            )
        }
    }

    /// The list of the values of all lines; blank lines are ignored.
    private func lines(_ body: [UInt8]) throws(DecodingError) -> Decoded {
        var (decoded, lines, bytes) = (Decoded(value: .null), 0, 0)
        decoded.value = .array(try Self.add(body, after: &lines, at: &bytes, to: &decoded))
        return decoded
    }

    /// Returns the values of some lines of a body, and adds what else is known of them.
    ///
    /// - Parameters:
    ///   - lines: The number of lines before them.
    ///   - bytes: The number of bytes before them.
    static func add(
        _ text: [UInt8],
        after lines: inout Int,
        at bytes: inout Int,
        to decoded: inout Decoded
    ) throws(DecodingError) -> [JSON] {
        var values: [JSON] = []
        var remaining = NDJSONLines(text, stopsAtLimit: true)
        while let line = remaining.next() {
            do {
                let document = try JSONParser(stopsAtLimit: true).parseDocument(text[line])
                values.append(document.value)
                decoded.duplicateName = decoded.duplicateName ?? document.duplicateName?.name
                if let found = document.loneSurrogates {
                    let earlier = decoded.loneSurrogates
                    let first = earlier?.firstOffset ?? bytes + line.lowerBound + found.firstOffset
                    decoded.loneSurrogates = .init(count: (earlier?.count ?? 0) + found.count, firstOffset: first)
                }
            } catch {
                let line = lines + remaining.number
                throw DecodingError(message: "line \(line) of the response is not JSON: \(error.message)")
            }
        }
        if WorkLimit.isReached { throw DecodingError(message: WorkLimit.message) }
        lines += remaining.number
        bytes += text.count
        return values
    }

    /// The list of the rows, each an object of strings by the names in the first row.
    private func rows(_ body: [UInt8]) throws(DecodingError) -> Decoded {
        let rows: [JSON]
        do {
            rows = try CSVReader.rows(of: body)
        } catch {
            let location = "line \(error.position.line), column \(error.position.column)"
            throw DecodingError(message: "the response is not CSV: \(error.message) (\(location))")
        }
        // An empty list of JSON looks like the name of a column.
        if rows.isEmpty, let json = try? JSONParser(stopsAtLimit: true).parse(body),
            json.array != nil || json.object != nil
        {
            throw DecodingError(message: "the response is not CSV: it is JSON")
        }
        return Decoded(value: .array(rows))
    }

    private func propertyList(_ response: HTTPResponse) throws(DecodingError) -> Decoded {
        do {
            return Decoded(value: try PropertyListParser().parse(response.body))
        } catch {
            throw DecodingError(message: "the response is not a property list: \(error)")
        }
    }

    /// The text of XML, which is checked, or a page in HTML as XML.
    private func document(_ response: HTTPResponse, isHTML: Bool) throws(DecodingError) -> String {
        let text = try text(response, declared: CharacterSet.declaredLabel(in: response.body, isHTML: isHTML))
        do throws(XMLDocument.SyntaxError) {
            return try isHTML ? XMLDocument.wellFormed(html: text) : XMLDocument(parsing: text).source
        } catch {
            let line = error.line.map { " (line \($0))" } ?? ""
            let format = isHTML ? "HTML" : "XML"
            throw DecodingError(message: "the response cannot be used as \(format): \(error.message)\(line)")
        }
    }

    /// The body as a string. Its character set is that of its byte order mark, else that of its content type, else the
    /// one that it declares itself, else UTF-8. The mark is not part of the string.
    private func text(_ response: HTTPResponse, declared: String = "") throws(DecodingError) -> String {
        let named = Self.parameter("charset", of: response)
        let label = named.isEmpty ? declared : named
        let marked = CharacterSet.marked(response.body)
        guard let set = marked?.0 ?? (label.isEmpty ? .utf8 : CharacterSet(label: label)) else {
            let shown = label.excerpt(100)
            throw DecodingError(message: "the response is in the character set '\(shown)', which is not supported")
        }
        guard let text = set.text(of: response.body.dropFirst(marked?.length ?? 0)) else {
            throw DecodingError(message: "the response is not valid \(set.name)")
        }
        return text
    }

    /// The JSON of a response in UTF-8 (RFC 8259, section 8.1). It is converted if the content type names another character
    /// set that programs without Unicode write.
    private func unicode(_ response: HTTPResponse) throws(DecodingError) -> [UInt8] {
        let body = response.body
        let label = Self.parameter("charset", of: response)
        let named = label.isEmpty ? .utf8 : CharacterSet(label: label) ?? .utf8
        switch CharacterSet.marked(body)?.0 ?? named {
        case .utf8: return body
        case .utf16LittleEndian, .utf16BigEndian:
            throw DecodingError(
                message: "the response is JSON in UTF-16, but JSON must be in UTF-8 (RFC 8259, section 8.1); "
                    + "'decoding: text' returns it as a string"
            )
        case .windows1252, .other: return Array(try text(response).utf8)
        }
    }

    /// A parameter of the content type, in lowercase; empty if there is none.
    private static func parameter(_ name: String, of response: HTTPResponse) -> String {
        let contentType = response.headers.first(named: "Content-Type") ?? ""
        guard contentType.utf8.contains(UInt8(ascii: ";")) else { return "" }
        let parameters = HTTPField.elements(of: contentType, separatedBy: ";").dropFirst()
        return parameters.first { $0.name == name }?.value?.lowercased() ?? ""
    }
}
