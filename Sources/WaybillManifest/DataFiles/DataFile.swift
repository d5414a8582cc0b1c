import Synchronization
package import WaybillDiagnostics
import WaybillFormats
package import WaybillJSON
package import WaybillRuntime

/// A file of data: CSV, JSON, NDJSON or YAML by what is said of it or by the ending of its name; where neither tells,
/// JSON if it is JSON, else YAML.
package final class DataFile: Sendable {
    /// The path as it was given; `<standard input>` for `-`.
    package let name: String

    /// After this many findings the rest of the file is not looked at.
    package static let maximumFindings = 1000

    private let bytes: [UInt8]
    private let format: DataFormat?
    private let madeSource = Mutex<SourceFile?>(nil)

    private init(path: String, bytes: [UInt8], format: DataFormat?) {
        self.name = path == "-" ? "<standard input>" : path
        self.bytes = bytes
        self.format = format ?? DataFormat(path: path)
    }

    /// Reads the bytes of a file, or of standard input where the path is `-`.
    ///
    /// - Parameters:
    ///   - format: How to read it, whatever its name is.
    ///   - limit: The greatest number of bytes; at most 4 GiB, which it is unless given.
    ///   - acceptsPipes: Whether it may be a pipe or device: for a path that was given on the command line.
    package static func read(
        _ path: String,
        format: DataFormat? = nil,
        limit: Int = SourceFile.greatestSize,
        acceptsPipes: Bool = false
    ) throws(FileError) -> DataFile {
        let bytes = try FileContents.read(path, limit: limit, acceptsPipes: acceptsPipes)
        return DataFile(path: path, bytes: bytes, format: format)
    }

    /// The value of the file, pipe or device at a path that was given on the command line; of NDJSON and CSV the list of its lines' or rows' values.
    ///
    /// There is a value exactly when there is no error among the findings.
    package static func value(of path: String) -> (value: JSON?, diagnostics: [Diagnostic]) {
        do {
            return try read(path, acceptsPipes: true).value()
        } catch {
            return (nil, [error.diagnostic(of: "file")])
        }
    }

    /// The text, for places in it. It is made when something is to be told, since most files are in order.
    package var source: SourceFile {
        madeSource.withLock { made in
            if let made { return made }
            let source = SourceFile(name: name, bytes: bytes)
            made = source
            return source
        }
    }

    /// The value of the file; of NDJSON and CSV the list of its lines' or rows' values.
    ///
    /// There is a value exactly when there is no error among the findings.
    package func value() -> (value: JSON?, diagnostics: [Diagnostic]) {
        var values: [JSON] = []
        let diagnostics = forEachDocument {
            values.append($0.value)
            return true
        }
        guard !diagnostics.hasErrors else { return (nil, diagnostics) }
        return (format == .ndjson || format == .csv ? .array(values) : values.first, diagnostics)
    }

    /// Calls a closure with each value of the file until it returns `false`, and gives what is wrong with the text.
    package func forEachDocument(_ body: (DataDocument) -> Bool) -> [Diagnostic] {
        switch format {
        case .csv: readRows(body)
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

    private func readRows(_ body: (DataDocument) -> Bool) -> [Diagnostic] {
        var reader = CSVReader()
        var rest = bytes[...]
        var findings: [Diagnostic] = []
        while findings.count < Self.maximumFindings {
            do {
                var next = try reader.nextRow(in: &rest)
                if next == nil { next = try reader.finish() }
                guard let row = next else { break }
                let origin = DataDocument.Origin.csv(self, row.range, names: reader.names ?? [])
                if !body(DataDocument(value: row.value, origin: origin)) { return findings }
            } catch {
                let help = error.help.map { [$0] } ?? []
                findings.append(Diagnostic("csv-syntax", error.message, at: source.span(error.range), help: help))
            }
        }
        if reader.names == nil, findings.isEmpty {
            findings.append(Diagnostic("empty-file", "the file is empty", at: source.span(0..<0)))
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
