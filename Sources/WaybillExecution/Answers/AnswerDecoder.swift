import WaybillData
import WaybillDiagnostics
import WaybillManifest
import WaybillTransport

/// Turns the body of an answer into a value.
struct AnswerDecoder {
    /// How to decode.
    let decoding: Decoding

    /// Why an answer could not be decoded.
    struct Problem: Error, Sendable {
        let message: String
    }

    /// What a body says.
    struct Decoded: Sendable {
        /// The value; null for an empty body.
        var value: JSON
        /// Whether the value is base64 of a body that is no text.
        var isBytes = false
        /// A name that a JSON object in it has more than once, if there is one. The last value of a name counts.
        var duplicateName: String?
    }

    /// The value of the body.
    func decode(_ response: HTTPResponse) throws(Problem) -> Decoded {
        guard !response.body.isEmpty else { return Decoded(value: .null) }
        switch try effectiveDecoding(of: response) {
        case .json: return try json(response)
        case .text: return Decoded(value: .string(try text(response)))
        case .ndjson: return try lines(response)
        case .csv: return try rows(response)
        case .plist: return try propertyList(response)
        case .bytes, .auto: return Decoded(value: .string(Base64.encode(response.body)), isBytes: true)
        }
    }

    /// What `auto` means for an answer.
    private func effectiveDecoding(of response: HTTPResponse) throws(Problem) -> Decoding {
        guard decoding == .auto else { return decoding }
        guard let type = response.headers.first(named: "Content-Type") else {
            return String(validating: response.body, as: UTF8.self) == nil ? .bytes : .text
        }
        let ranges: [(String, Decoding)] = [
            ("application/json", .json), ("*/*+json", .json), ("application/x-ndjson", .ndjson),
            ("application/ndjson", .ndjson), ("application/jsonl", .ndjson), ("text/csv", .csv),
            ("application/x-plist", .plist), ("text/*", .text), ("application/xml", .text),
            ("*/*+xml", .text), ("application/x-www-form-urlencoded", .text), ("application/javascript", .text),
        ]
        return ranges.first { MediaRange($0.0)?.contains(type) ?? false }?.1 ?? .bytes
    }

    private func json(_ response: HTTPResponse) throws(Problem) -> Decoded {
        do {
            let document = try JSONParser().parseDocument(response.body)
            return Decoded(value: document.value, duplicateName: document.duplicateName?.name)
        } catch {
            let start = String(decoding: response.body.prefix(60), as: UTF8.self)
            throw Problem(
                message: "the answer is not JSON: \(error.message) at byte \(error.offset); it begins with '\(start)'"
            )
        }
    }

    /// The list of the values of all lines; blank lines say nothing.
    private func lines(_ response: HTTPResponse) throws(Problem) -> Decoded {
        var values: [JSON] = []
        var duplicateName: String?
        for (index, line) in response.body.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            if line.allSatisfy({ $0 <= UInt8(ascii: " ") }) { continue }
            do {
                let document = try JSONParser().parseDocument(line)
                values.append(document.value)
                duplicateName = duplicateName ?? document.duplicateName?.name
            } catch {
                throw Problem(message: "line \(index + 1) of the answer is not JSON: \(error.message)")
            }
        }
        return Decoded(value: .array(values), duplicateName: duplicateName)
    }

    /// The list of the rows, objects of texts by the names in the first row.
    private func rows(_ response: HTTPResponse) throws(Problem) -> Decoded {
        do {
            return Decoded(value: .array(try CSVReader.rows(of: response.body)))
        } catch {
            let place = "line \(error.position.line), column \(error.position.column)"
            throw Problem(message: "the answer is not CSV: \(error.message) (\(place))")
        }
    }

    private func propertyList(_ response: HTTPResponse) throws(Problem) -> Decoded {
        do {
            return Decoded(value: try PropertyListParser().parse(response.body))
        } catch {
            throw Problem(message: "the answer is not a property list: \(error)")
        }
    }

    private func text(_ response: HTTPResponse) throws(Problem) -> String {
        let charset = Self.charset(of: response.headers.first(named: "Content-Type") ?? "")
        switch charset {
        case "iso-8859-1", "latin1", "us-ascii":
            var scalars = String.UnicodeScalarView()
            for byte in response.body { scalars.append(Unicode.Scalar(byte)) }
            return String(scalars)
        case "utf-8", "utf8", "":
            guard let text = String(validating: response.body, as: UTF8.self) else {
                throw Problem(message: "the answer is not valid UTF-8")
            }
            return text
        default:
            throw Problem(message: "the answer is in the character set '\(charset)', which is not supported")
        }
    }

    private static func charset(of contentType: String) -> String {
        for parameter in contentType.split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].filter({ $0 != " " }).lowercased() == "charset" else { continue }
            return parts[1].filter { $0 != "\"" && $0 != " " }.lowercased()
        }
        return ""
    }
}
