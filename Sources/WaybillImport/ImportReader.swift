package import WaybillDiagnostics
import WaybillJSON

/// What sources consist of, and diagnostics about what is malformed.
typealias ImportResult = (collection: ImportedCollection, diagnostics: [Diagnostic])

/// Reads the sources of one kind.
protocol ImportReader {
    /// What the sources are, for messages: `curl commands`.
    static var description: String { get }

    /// The endings of the names of files that belong to sources of this kind in a folder, with the dot.
    static var fileExtensions: [String] { get }

    /// Whether a source is of this kind.
    static func recognizes(_ text: RecognizedText) -> Bool

    /// Reads sources. The files of a folder are sources whose names start with the path of the folder.
    static func read(_ sources: [SourceFile], _ options: ImportOptions) -> ImportResult
}

/// What the command line says about the sources.
package struct ImportOptions: Sendable {
    /// Files with the values of variables.
    package var environments: [SourceFile]
    /// The hosts whose entries of a recording are imported; all if there are none.
    package var hosts: [String]
    /// What the paths of the URLs of these entries start with.
    package var pathPrefix: String?
    /// The media types of their responses, such as `application/json` or `text/*`; all if there are none.
    package var types: [String]

    /// Creates options.
    package init(
        environments: [SourceFile] = [],
        hosts: [String] = [],
        pathPrefix: String? = nil,
        types: [String] = []
    ) {
        (self.environments, self.hosts, self.pathPrefix, self.types) = (environments, hosts, pathPrefix, types)
    }

    /// Whether entries of a recording are filtered.
    package var filtersEntries: Bool { !hosts.isEmpty || pathPrefix != nil || !types.isEmpty }
}

/// A source whose kind is to be recognised.
struct RecognizedText {
    /// The path of the file.
    let name: String
    let text: String
    /// The value, if the text is JSON.
    let json: JSON?

    init(_ source: SourceFile) {
        name = source.name
        text = String(decoding: source.bytes, as: UTF8.self)
        let start = text.unicodeScalars.first { !$0.properties.isWhitespace && $0 != "\u{FEFF}" }
        json = start == "{" || start == "[" ? try? JSONParser().parse(source.bytes) : nil
    }
}

extension SourceFile {
    /// The name of the file without its folders and its ending.
    var stem: String {
        let last = name.split(separator: "/").last ?? ""
        let stem = last.lastIndex(of: ".").map { last[..<$0] } ?? last
        return String(stem.isEmpty ? last : stem)
    }

    /// The location of the first byte.
    var start: SourceSpan { span(0..<min(1, bytes.count)) }

    /// The error of a text that is not UTF-8, at its first wrong byte.
    var encodingError: Diagnostic? {
        guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
        let offset = zip(bytes, String(decoding: bytes, as: UTF8.self).utf8).prefix { $0 == $1 }.count
        return Diagnostic("import-syntax", "\(name) is not UTF-8", at: span(offset..<min(offset + 1, bytes.count)))
    }

    /// Parses the text as JSON; nil, with a diagnostic, if it is not.
    func json(_ diagnostics: inout [Diagnostic]) -> JSON? {
        do throws(JSONSyntaxError) {
            return try JSONParser().parse(bytes)
        } catch {
            let end = min(error.offset + 1, bytes.count)
            let headline = "\(name) is not JSON: \(error.message)"
            diagnostics.report("import-syntax", headline, at: span(min(error.offset, end)..<end))
            return nil
        }
    }
}
