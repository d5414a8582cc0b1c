import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillRuntime

/// The path of a file that a run makes, relative to the results folder.
enum ResultPath {
    /// Whether a path surely leads out of the results folder, as far as its beginning is certain.
    static func leaves(_ path: ScalarTemplate) -> Bool {
        switch path.content {
        case .constant(_, let text): return leaves(text)
        case .template(let template):
            guard case .literal(let beginning) = template.template.parts.first,
                let slash = beginning.utf8.lastIndex(of: UInt8(ascii: "/"))
            else { return false }
            // The name behind the last slash may go on in what is computed.
            return leaves(String(beginning[...slash]))
        }
    }

    /// Why no file can have a path; `nil` if one can.
    ///
    /// - Parameter isFolder: Whether the path may end with `/`, as that of a folder.
    static func reasonAgainst(_ path: String, isFolder: Bool) -> String? {
        if path.utf8.contains(0) { return "the path of a file cannot contain the character U+0000" }
        if path.isEmpty { return "the path of the file is empty" }
        if path.hasSuffix("/"), !isFolder { return "'\(path)' is a folder, and the records are written to a file" }
        let name = path.split(separator: "/").last ?? ""
        if RunFileNames.isOfDatabase(name) {
            return "'\(path)' has the name of a file that SQLite makes beside a database"
        }
        if name.hasSuffix(".part") { return "'\(path)' has the name of an unfinished file" }
        let names = path.split(separator: "/")
        if let long = names.first(where: { $0.utf8.count > 255 }) {
            return "the name of a file has at most 255 bytes, and '\(long.prefix(16))…' has \(long.utf8.count)"
        }
        guard !path.hasSuffix("/"), let name = names.last, name.utf8.count > longestName else { return nil }
        return
            "the name of this file has at most \(longestName) bytes, and '\(name.prefix(16))…' has \(name.utf8.count); "
            + "its unfinished file has a longer one"
    }

    /// While a file is written, `.part` is added to its name, and `.part.json` to that of the record of a download.
    private static let longestName = 255 - ".part.json".utf8.count

    /// Whether a path surely leads to a file that a run writes about itself.
    static func isReserved(_ path: ScalarTemplate) -> Bool {
        guard let text = path.constantText, !text.hasPrefix("/"), let path = normalized(text) else { return false }
        return RunFileNames.all.contains(String(path.prefix { $0 != "/" }))
    }

    private static func leaves(_ path: String) -> Bool { path.hasPrefix("/") || normalized(path) == nil }

    /// A relative path without `.`, `..` and doubled slashes; `nil` where it leads out of its folder.
    static func normalized(_ path: String) -> String? {
        var parts: [Substring] = []
        for name in path.split(separator: "/") where name != "." {
            if name != ".." { parts.append(name) } else if parts.popLast() == nil { return nil }
        }
        return parts.joined(separator: "/")
    }
}
