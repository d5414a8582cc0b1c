import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillRuntime

/// The locations of files in a SARIF log (sections 3.4 and 3.10 of the standard).
struct SARIFArtifacts {
    /// Sources that are not files, such as standard input. They have an index instead of a URI.
    private(set) var unnamed: [JSON] = []
    private var indexes: [String: Int] = [:]
    private var hasRelativePaths = false

    /// The name that code hosts use for the folder that relative paths start at.
    private static let root = "%SRCROOT%"

    /// The base of relative paths, if there are any. Its URI is omitted, because it would only tell where the log was
    /// made.
    var bases: JSON? {
        guard hasRelativePaths else { return nil }
        let base: JSON = ["description": ["text": "The folder that waybill ran in."]]
        return [Self.root: base]
    }

    /// Returns the location of a file.
    mutating func location(of file: SourceFile) -> JSON {
        if file.name.hasPrefix("<"), file.name.hasSuffix(">") {
            let index = indexes[file.name] ?? unnamed.count
            if index == unnamed.count {
                indexes[file.name] = index
                unnamed.append(["description": ["text": .string(String(file.name.dropFirst().dropLast()))]])
            }
            return ["index": .number(JSONNumber(index))]
        }
        var path = file.name
        var segments = path.split(separator: "/").filter { $0 != "." }
        // Only the file system knows where `..` leads.
        if segments.contains(".."), let canonical = FileContents.canonicalPath(path) {
            path = canonical
            segments = path.split(separator: "/")
        }
        let encoded = PercentEncoding.path(segments.joined(separator: "/"))
        if path.hasPrefix("/") { return ["uri": .string("file:///\(encoded)")] }
        hasRelativePaths = true
        return ["uri": .string(encoded), "uriBaseId": .string(Self.root)]
    }
}
