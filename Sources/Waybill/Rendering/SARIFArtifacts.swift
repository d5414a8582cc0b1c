import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillRuntime

/// Where the files of a SARIF log are (sections 3.4 and 3.10 of the standard).
struct SARIFArtifacts {
    /// What is no file, such as standard input: it has no address, only an index.
    private(set) var unnamed: [JSON] = []
    private var indexes: [String: Int] = [:]
    private var hasRelativePaths = false

    /// The name that code hosts give to the folder that relative paths begin at.
    private static let root = "%SRCROOT%"

    /// What relative paths begin at, if there are any. Its address is left out: it tells only where the log was made.
    var bases: JSON? {
        guard hasRelativePaths else { return nil }
        let base: JSON = ["description": ["text": "The folder that waybill ran in."]]
        return [Self.root: base]
    }

    /// The location of a file.
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
        // Only the file system can say where `..` leads.
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
