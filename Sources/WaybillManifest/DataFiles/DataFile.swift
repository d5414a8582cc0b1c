package import WaybillData
package import WaybillDiagnostics
import WaybillManifest

/// A file of data: JSON, NDJSON or YAML by the ending of its name; where that tells nothing, JSON if it is JSON, else YAML.
package final class DataFile {
    /// The path as it was given; `<standard input>` for `-`.
    package let name: String
    /// The text, for places in it. It is made when something is to be told, since most files are in order.
    package private(set) lazy var source = SourceFile(name: name, bytes: bytes)

    /// After this many findings the rest of the file is not looked at.
    static let maximumFindings = 1000

    private let bytes: [UInt8]
    private let format: DataFormat?

    private init(path: String, bytes: [UInt8]) {
        self.name = path == "-" ? "<standard input>" : path
        self.bytes = bytes
        self.format = DataFormat(path: path)
    }

    /// Reads the bytes of a file, or of standard input where the path is `-`; at most 4 GiB.
    package static func read(_ path: String) throws(FileError) -> DataFile {
        DataFile(path: path, bytes: try FileContents.read(path, limit: SourceFile.greatestSize))
    }

    /// The value of the file at a path; of NDJSON the list of its lines' values.
    package static func value(of path: String) -> Pipeline.Stage<JSON> {
        do {
            return try read(path).value()
        } catch {
            return .init(value: nil, diagnostics: [error.diagnostic(of: "file")])
        }
    }

    private func value() -> Pipeline.Stage<JSON> {
        var values: [JSON] = []
        let diagnostics = forEachDocument {
            values.append($0.value)
            return true
        }
        guard !diagnostics.hasErrors else { return .init(value: nil, diagnostics: diagnostics) }
        return .init(value: format == .ndjson ? .array(values) : values.first, diagnostics: diagnostics)
    }

    /// Calls a closure with each value of the file until it returns `false`, and gives what is wrong with the text.
    package func forEachDocument(_ body: (DataDocument) -> Bool) -> [Diagnostic] {
        switch format {
        case .json: readJSON(0..<bytes.count, body).findings
        case .ndjson: readLines(body)
        case .yaml: readYAML(body)
        case nil: readEither(body)
        }
    }

    private func readJSON(
        _ part: Range<Int>,
        _ body: (DataDocument) -> Bool
    ) -> (findings: [Diagnostic], goesOn: Bool) {
        let document: JSONDocument
        do {
            document = try JSONParser().parseDocument(bytes[part])
        } catch {
            return ([diagnostic(for: error, in: part)], true)
        }
        let goesOn = body(DataDocument(value: document.value, origin: .json(self, part)))
        return (document.duplicateName.map { [warning(duplicate: $0, in: part)] } ?? [], goesOn)
    }

    private func readLines(_ body: (DataDocument) -> Bool) -> [Diagnostic] {
        var findings: [Diagnostic] = []
        var start = 0
        while start < bytes.count, findings.count < Self.maximumFindings {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            let line = start..<end
            start = end + 1
            if bytes[line].allSatisfy({ $0 <= UInt8(ascii: " ") }) { continue }
            let (found, goesOn) = readJSON(line, body)
            findings += found
            if !goesOn { break }
        }
        return findings
    }

    private func readYAML(_ body: (DataDocument) -> Bool) -> [Diagnostic] {
        var limits = YAMLReader.Limits()
        limits.maximumBytes = SourceFile.greatestSize
        // Without aliases a text has fewer values than bytes: the limit is on those that repeat others.
        limits.maximumNodes = max(limits.maximumNodes, bytes.count)
        let (node, findings) = YAMLReader(limits: limits).read(source)
        if let node, !findings.hasErrors { _ = body(DataDocument(value: node.json, origin: .yaml(node))) }
        return findings
    }

    private func readEither(_ body: (DataDocument) -> Bool) -> [Diagnostic] {
        var isJSON = false
        let jsonFindings = readJSON(0..<bytes.count) {
            isJSON = true
            return body($0)
        }.findings
        if isJSON { return jsonFindings }
        let yamlFindings = readYAML(body)
        // What begins like JSON was meant to be JSON.
        let opening = bytes.first { $0 > UInt8(ascii: " ") }
        let looksLikeJSON = opening == UInt8(ascii: "{") || opening == UInt8(ascii: "[")
        return yamlFindings.hasErrors && looksLikeJSON ? jsonFindings : yamlFindings
    }
}

extension DataFile {
    private func diagnostic(for error: JSONSyntaxError, in part: Range<Int>) -> Diagnostic {
        if bytes[part].allSatisfy({ $0 <= UInt8(ascii: " ") }) {
            return Diagnostic("empty-file", "the file is empty", at: source.span(part.lowerBound..<part.lowerBound))
        }
        var start = part.lowerBound + error.offset
        var end = min(start + 1, part.upperBound)
        if start == part.upperBound {
            // The text ends too early: that is told behind its last character.
            while start > part.lowerBound, bytes[start - 1] <= UInt8(ascii: " ") { start -= 1 }
            end = start
        }
        while end < part.upperBound, bytes[end] & 0xC0 == 0x80 { end += 1 }
        return Diagnostic("json-syntax", error.message, at: source.span(start..<end))
    }

    private func warning(duplicate: (name: String, offset: Int), in part: Range<Int>) -> Diagnostic {
        let start = part.lowerBound + duplicate.offset
        var end = start + 1
        while end < part.upperBound, bytes[end] != UInt8(ascii: "\"") {
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        return Diagnostic(
            "duplicate-key",
            "'\(duplicate.name)' comes again in its object; the last value counts",
            severity: .warning,
            at: source.span(start..<min(end + 1, part.upperBound))
        )
    }
}

extension FileError {
    /// The finding that a file cannot be read.
    package func diagnostic(of sort: String) -> Diagnostic {
        Diagnostic("unreadable-file", "the \(sort) \(path) cannot be read: \(message)", at: nil)
    }
}
