import Synchronization
package import WaybillDiagnostics
import WaybillFormats
package import WaybillJSON
package import WaybillRuntime

/// A file of data in the format that is given or that its extension names; without either, JSON if it is JSON, else YAML.
package final class DataFile: Sendable {
    /// The path as it was given; `<standard input>` for `-`.
    package let name: String

    /// After this many findings the rest of the file is not looked at.
    package static let maximumFindings = 1000

    let bytes: [UInt8]
    private let format: (any ReadableRecordFormat.Type)?
    private let madeSource = Mutex<SourceFile?>(nil)

    private init(path: String, bytes: [UInt8], format: (any ReadableRecordFormat.Type)?) {
        self.name = path == "-" ? "<standard input>" : path
        self.bytes = bytes
        self.format = format ?? RecordFormats.readable(ofFile: path)
    }

    /// Reads the bytes of a file, or of standard input where the path is `-`.
    ///
    /// - Parameters:
    ///   - format: How to read it, whatever its name is.
    ///   - limit: The greatest number of bytes; at most 4 GiB, which it is unless given.
    ///   - acceptsPipes: Whether it may be a pipe or device: for a path that was given on the command line.
    ///   - files: What it is read from.
    package static func read(
        _ path: String,
        format: (any ReadableRecordFormat.Type)? = nil,
        limit: Int = SourceFile.greatestSize,
        acceptsPipes: Bool = false,
        from files: any ManifestFileSystem = LocalFiles()
    ) throws(FileError) -> DataFile {
        let bytes = try files.read(path, limit: limit, acceptsPipes: acceptsPipes)
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
        return (format?.isList == true ? .array(values) : values.first, diagnostics)
    }

    /// Calls a closure with each value of the file until it returns `false`, and gives what is wrong with the text.
    package func forEachDocument(_ body: (DataDocument) -> Bool) -> [Diagnostic] {
        format?.read(self, body) ?? readEither(body)
    }

    private func readEither(_ body: (DataDocument) -> Bool) -> [Diagnostic] {
        var isJSON = false
        let jsonFindings = JSONFormat.read(self) {
            isJSON = true
            return body($0)
        }
        if isJSON { return jsonFindings }
        let yamlFindings = YAMLFormat.read(self, body)
        // What begins like JSON was meant to be JSON.
        let opening = bytes.first { $0 > UInt8(ascii: " ") }
        let looksLikeJSON = opening == UInt8(ascii: "{") || opening == UInt8(ascii: "[")
        return yamlFindings.hasErrors && looksLikeJSON ? jsonFindings : yamlFindings
    }
}

extension FileError {
    /// The finding that a file cannot be read.
    package func diagnostic(of sort: String) -> Diagnostic {
        Diagnostic("unreadable-file", "the \(sort) \(path) cannot be read: \(message)", at: nil)
    }
}
