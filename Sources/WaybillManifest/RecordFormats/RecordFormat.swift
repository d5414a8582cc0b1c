package import WaybillDiagnostics
package import WaybillFormats
import WaybillJSON
import WaybillRuntime

/// A format of files with records: a type that defines its name and how it is read and written.
package protocol RecordFormat: Sendable {
    /// The name in `format`.
    static var name: String { get }
    /// The extensions of files that have this format if the manifest specifies no `format`.
    static var extensions: [String] { get }
}

/// A format in which `data` and the command line can read files.
package protocol ReadableRecordFormat: RecordFormat {
    /// Whether a file can contain any number of values, so that its value is a list of them.
    static var isList: Bool { get }
    /// Calls a closure with each value of a file until it returns `false`, and returns the diagnostics of the file.
    static func read(_ file: DataFile, _ body: (DataDocument) -> Bool) -> [Diagnostic]
}

/// A format in which `write` can write files. An instance writes one file.
package protocol WritableRecordFormat: RecordFormat, RecordWriter {
    /// Whether the records are loaded into a table of a database.
    static var isDatabase: Bool { get }
    /// Whether a file whose name ends in `.gz` is compressed.
    static var isCompressible: Bool { get }
    /// Creates a writer of a file.
    ///
    /// - Parameter columns: The names of the members that each record has; `nil` if the records determine them.
    init(columns: [String]?)
}

extension WritableRecordFormat {
    package static var isDatabase: Bool { false }
    package static var isCompressible: Bool { true }

    /// Whether a file of this format is compressed with gzip.
    package static func isCompressed(_ path: String) -> Bool {
        isCompressible && RecordFormats.fileExtension(of: path) == RecordFormats.compressedExtension
    }
}

/// The formats of files with records.
package enum RecordFormats {
    /// All formats.
    package static let all: [any RecordFormat.Type] = [
        NDJSONFormat.self, JSONFormat.self, CSVFormat.self, RawFormat.self, YAMLFormat.self, SQLiteFormat.self,
    ]

    /// The formats in which files can be read.
    package static let readable = all.compactMap { $0 as? any ReadableRecordFormat.Type }
    /// The formats in which files can be written.
    package static let writable = all.compactMap { $0 as? any WritableRecordFormat.Type }

    /// Returns the format for reading a file, by its extension; `nil` for an unknown extension.
    package static func readable(ofFile path: String) -> (any ReadableRecordFormat.Type)? {
        guard let name = fileExtension(of: path) else { return nil }
        return readable.first { $0.extensions.contains(name) }
    }

    /// Returns the format for writing a file, by its extension; raw without an extension, and `nil` for an unknown one.
    package static func writable(ofFile path: String) -> (any WritableRecordFormat.Type)? {
        guard let name = fileExtension(of: path) else { return RawFormat.self }
        guard name == compressedExtension else { return writable.first { $0.extensions.contains(name) } }
        guard let inner = fileExtension(of: String(path.dropLast(name.utf8.count + 1))) else { return nil }
        return writable.first { $0.isCompressible && $0.extensions.contains(inner) }
    }

    /// The extension of compressed files, which follows that of their format.
    static let compressedExtension = "gz"

    /// Returns the message that the extension of a file to write is unknown.
    package static func unknownExtension(of path: String) -> String {
        let name = fileExtension(of: path) ?? ""
        let inner = name == compressedExtension ? fileExtension(of: String(path.dropLast(name.utf8.count + 1))) : nil
        return "no file format has the extension '.\(inner.map { "\($0)." } ?? "")\(name)'"
    }

    /// Returns the part after the last dot in the name of a file, in lower case; `nil` if the name has no dot.
    static func fileExtension(of path: String) -> String? {
        let name = FileContents.name(of: path).utf8
        return name.lastIndex(of: UInt8(ascii: ".")).flatMap { String(name[name.index(after: $0)...]) }?.lowercased()
    }
}
