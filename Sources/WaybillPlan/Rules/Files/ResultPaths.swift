import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillRuntime

/// The files that a run writes must be inside its results folder.
struct ResultPaths: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        // The server may name a downloaded file, in a folder.
        func check(_ path: ScalarTemplate?, isFolder: Bool = true) {
            guard let path else { return }
            if ResultPath.isReserved(path) {
                diagnostics.report(
                    "reserved-file",
                    "'\(path.constantText ?? "")' is reserved for a file that every run writes",
                    at: path.span,
                    help: ["Use another name."]
                )
            }
            if let text = path.constantText, let reason = ResultPath.reasonAgainst(text, isFolder: isFolder) {
                diagnostics.report("invalid-value", reason, at: path.span, help: ["Use another name."])
                return
            }
            guard !subject.allowsOutside, ResultPath.leaves(path) else { return }
            diagnostics.report(
                "outside-folder",
                "this path is outside the results folder",
                at: path.span,
                help: [
                    "The paths of written files are relative to the results folder, which --out sets."
                        + " Use --allow-outside if this is intended."
                ],
                programHelp: [
                    "The paths of written files are relative to the results folder."
                        + " Pass 'allowsOutside: true' if this is intended."
                ]
            )
        }
        for endpoint in subject.manifest.endpoints.values { check(endpoint.value.request.download?.to) }
        for settings in subject.settings { check(settings.downloads?.value) }
        for site in subject.steps {
            for write in site.step.flow?.writes ?? [] { check(write.to, isFolder: false) }
            if case .request(let definition) = site.step.action { check(definition.download?.to) }
        }
        return diagnostics
    }
}

/// Checks of the path of a file that a run writes, relative to the results folder.
enum ResultPath {
    /// Whether a path certainly leads out of the results folder, judging by its constant prefix.
    static func leaves(_ path: ScalarTemplate) -> Bool {
        (path.constantText ?? constantFolder(of: path)).map(leaves) ?? false
    }

    /// Returns the folder in which a computed path certainly is, with a slash at the end; `nil` if that is not known.
    static func constantFolder(of path: ScalarTemplate) -> String? {
        // The name after the last slash may be continued by a computed part.
        guard case .template(let template) = path.content,
            case .literal(let start) = template.template.parts.first,
            let slash = start.utf8.lastIndex(of: UInt8(ascii: "/"))
        else { return nil }
        return String(start[...slash])
    }

    /// Returns why a path is not valid for a file; `nil` if it is valid.
    ///
    /// - Parameter isFolder: Whether the path is that of a folder, which may end with `/`.
    static func reasonAgainst(_ path: String, isFolder: Bool) -> String? {
        if path.utf8.contains(0) { return "the path of a file cannot contain the character U+0000" }
        if path.isEmpty { return "the path of the file is empty" }
        if path.hasSuffix("/"), !isFolder { return "'\(path)' is a folder, but the records are written to a file" }
        let names = FileContents.names(in: path)
        let name = names.last ?? ""
        if RunFileNames.isOfDatabase(name) {
            return "'\(path)' has the name of a file that SQLite creates next to a database"
        }
        if RunFileNames.isOfUnfinishedFile(name) { return "'\(path)' has the name of an unfinished file" }
        if let long = names.first(where: { $0.utf8.count > 255 }) {
            return "the name of a file has at most 255 bytes, but '\(long.prefix(16))…' has \(long.utf8.count)"
        }
        guard !path.hasSuffix("/"), let name = names.last, name.utf8.count > longestName else { return nil }
        return
            "the name of this file has at most \(longestName) bytes, but '\(name.prefix(16))…' has \(name.utf8.count): "
            + "the name is longer until the file is complete"
    }

    /// While a file is being written, its name ends with `.part`, and that of a download's record with `.part.json`.
    private static let longestName = 255 - ".part.json".utf8.count

    /// Whether a path certainly leads to a file that a run writes about itself.
    static func isReserved(_ path: ScalarTemplate) -> Bool {
        guard let text = path.constantText, !text.hasPrefix("/") else { return false }
        return RunFileNames.all.contains(String(normalized(text).prefix { $0 != "/" }))
    }

    private static func leaves(_ path: String) -> Bool { path.hasPrefix("/") || insidePath(path) == nil }

    /// Returns a path without `.` and repeated slashes, and without `..` if it is in its folder. Outside, a name before
    /// `..` may be a link.
    static func normalized(_ path: String) -> String {
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        if !isAbsolute, let inside = insidePath(path) { return inside }
        return (isAbsolute ? "/" : "") + FileContents.names(in: path).filter { $0 != "." }.joined(separator: "/")
    }

    private static func insidePath(_ path: String) -> String? {
        var parts: [Substring] = []
        for name in FileContents.names(in: path) where name != "." {
            if name != ".." { parts.append(name) } else if parts.popLast() == nil { return nil }
        }
        return parts.joined(separator: "/")
    }
}
