package import WaybillDiagnostics
import WaybillFormats
package import WaybillJSON
package import WaybillRuntime

/// A data file in the given format or, without one, in the format of its extension. If neither is known, the file is
/// read as JSON, then as YAML.
package final class DataFile: Sendable {
    /// The path as given; `<standard input>` for `-`.
    package let name: String

    /// The number of diagnostics after which the rest of the file is not checked.
    package static let maximumDiagnostics = 1000

    /// The source file for locations.
    package let source: SourceFile
    var bytes: [UInt8] { source.bytes }
    private let format: (any ReadableRecordFormat.Type)?

    private init(path: String, bytes: [UInt8], format: (any ReadableRecordFormat.Type)?) {
        self.name = path == "-" ? "<standard input>" : path
        source = SourceFile(name: name, bytes: bytes)
        self.format = format ?? RecordFormats.readable(ofFile: path)
    }

    /// Reads the bytes of a file, or of standard input if the path is `-`.
    ///
    /// - Parameters:
    ///   - format: The format, which overrides that of the extension.
    ///   - limit: The maximum size in bytes; 4 GiB unless given, which it cannot exceed.
    ///   - acceptsPipes: Whether the file may be a pipe or device, as for a path given on the command line.
    ///   - files: The file system to read from.
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

    /// Returns the value of the file, pipe or device at a path given on the command line. The value of NDJSON or CSV is
    /// the list of its lines' or rows' values.
    ///
    /// The value is `nil` exactly if the diagnostics contain an error.
    package static func value(of path: String) -> (value: JSON?, diagnostics: [Diagnostic]) {
        do {
            return try read(path, acceptsPipes: true).value()
        } catch {
            return (nil, [error.diagnostic(of: "file")])
        }
    }

    /// Returns the value of the file. The value of NDJSON or CSV is the list of its lines' or rows' values.
    ///
    /// The value is `nil` exactly if the diagnostics contain an error.
    ///
    /// - Parameter mostMemory: How much memory the value may take, in bytes.
    package func value(mostMemory: Int = JSONSize.limit) -> (value: JSON?, diagnostics: [Diagnostic]) {
        var values: [JSON] = []
        var size = JSONSize(limit: mostMemory)
        var isTooLarge = false
        var diagnostics = forEachDocument {
            do throws(JSONSize.Excess) { try size.add($0.value) } catch { isTooLarge = true }
            values.append($0.value)
            return !isTooLarge
        }
        if isTooLarge {
            let message = "the values of the file take more than \(mostMemory >> 20) MiB of memory"
            diagnostics.report("too-large", message, at: source.span(0..<0))
        }
        guard !diagnostics.hasErrors else { return (nil, diagnostics) }
        return (format?.isList == true ? .array(values) : values.first, diagnostics)
    }

    /// The first document of a file of JSON or YAML; `nil` if there is an error.
    var firstDocument: (document: DataDocument?, diagnostics: [Diagnostic]) {
        var document: DataDocument?
        let diagnostics = forEachDocument {
            document = $0
            return false
        }
        return (diagnostics.hasErrors ? nil : document, diagnostics)
    }

    /// Calls a closure with each value of the file until it returns `false`, and returns the diagnostics of the file.
    package func forEachDocument(_ body: (DataDocument) -> Bool) -> [Diagnostic] {
        // For YAML, the lines of a file of environment variables are one string.
        var misuse: Diagnostic?
        func check(_ document: DataDocument) -> Bool {
            if case (.string, .yaml) = (document.value, document.origin) { misuse = EnvironmentFile.misuse(of: source) }
            return misuse == nil && body(document)
        }
        let diagnostics = format?.read(self, check) ?? readEither(check)
        if diagnostics.hasErrors { misuse = EnvironmentFile.misuse(of: source) }
        return misuse.map { [$0] } ?? diagnostics
    }

    private func readEither(_ body: (DataDocument) -> Bool) -> [Diagnostic] {
        var isJSON = false
        let jsonDiagnostics = JSONFormat.read(self) {
            isJSON = true
            return body($0)
        }
        if isJSON { return jsonDiagnostics }
        let yamlDiagnostics = YAMLFormat.read(self, body)
        // A file that starts like JSON was meant to be JSON.
        let opening = bytes.first { $0 > UInt8(ascii: " ") }
        let looksLikeJSON = opening == UInt8(ascii: "{") || opening == UInt8(ascii: "[")
        return yamlDiagnostics.hasErrors && looksLikeJSON ? jsonDiagnostics : yamlDiagnostics
    }
}

extension FileError {
    /// Returns the diagnostic for a file of the given kind that cannot be read.
    package func diagnostic(of kind: String) -> Diagnostic {
        Diagnostic("unreadable-file", "the \(kind) \(path) cannot be read: \(message)", at: nil)
    }
}

/// One value of a data file, with its location.
package struct DataDocument: Sendable {
    enum Origin {
        /// A row of a CSV file with these column names.
        case csv(DataFile, Range<Int>, names: [String])
        /// A range of bytes of a JSON file.
        case json(DataFile, Range<Int>)
        /// The tree that the value was read from.
        case yaml(YAMLNode)
    }

    package let value: JSON
    let origin: Origin

    /// Returns the locations of the values that the pointers refer to.
    package func locations(of pointers: some Sequence<JSONPointer>) -> any DocumentLocations {
        switch origin {
        case .csv(let file, let row, let names): CSVLocations(of: row, names: names, in: file.source)
        case .json(let file, let part): JSONLocations(of: pointers, in: file.source, part: part)
        case .yaml(let node): node
        }
    }
}
