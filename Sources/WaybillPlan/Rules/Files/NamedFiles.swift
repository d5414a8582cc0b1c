import OrderedCollections
import WaybillContract
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillRuntime

/// The files that a manifest names must exist and be inside its folder.
struct NamedFiles: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let boundary = FolderBoundary(
            folder: FileContents.folder(of: subject.manifest.file.name),
            allowsOutside: subject.allowsOutside
        )
        var diagnostics: [Diagnostic] = []
        for settings in subject.settings {
            for entry in settings.entries {
                diagnostics += entry.value.namedFiles.compactMap { self.check($0, in: boundary) }
            }
        }
        for secret in subject.manifest.secrets.values {
            if let file = secret.value.file, let error = check(file, in: boundary) { diagnostics.append(error) }
        }
        for site in subject.steps {
            guard case .call(let call) = site.step.action,
                let media = subject.manifest.endpoints[call.name.value]?.value.request.operation?.operation.body?
                    .preferred,
                !media.name.isJSON, let body = call.arguments.last(where: { $0.name.value == "body" })
            else { continue }
            diagnostics += body.value.fileNames.compactMap {
                self.check(NamedFile(path: $0, kind: .body), in: boundary)
            }
        }
        return diagnostics
    }

    private func check(_ file: NamedFile, in boundary: FolderBoundary) -> Diagnostic? {
        let local = file.file(within: boundary)
        let path = local.path
        guard local.boundary.encloses(path) else {
            return FileRefusal.outside(path).diagnostic(at: file.path.span)
        }
        // They are written to, at the latest by the end of a run, or with --update-snapshots.
        // The machine that checks a manifest need not have its secrets.
        if file.kind == .secret { return nil }
        if [.snapshot, .jar, .tokens].contains(file.kind), Self.isManifest(path, file.path.span) {
            return Diagnostic(
                "same-file",
                "this manifest itself would be replaced by the \(file.words)",
                at: file.path.span,
                help: ["Choose another file."]
            )
        }
        let folder = FileContents.folder(of: path)
        if file.kind == .snapshot, RunFileNames.all.contains(String(FileContents.names(in: path).last ?? "")),
            (try? FileStatus(of: "\(folder)/\(RunFileNames.journal)")) != nil
        {
            return Diagnostic(
                "reserved-file",
                "'\(path)' belongs to the results of a run",
                at: file.path.span,
                help: ["Choose another file."]
            )
        }
        do {
            let kind = try FileStatus(of: path).kind
            if file.kind == .cache {
                return kind == .folder || kind == .link ? nil : unreadable(file, path, "it is not a folder")
            }
            switch kind {
            case .file, .link: return nil
            case .folder: return unreadable(file, path, FileError(path: path, reason: .isFolder).message)
            case .other: return unreadable(file, path, FileError(path: path, reason: .notRegular).message)
            }
        } catch {
            switch file.kind {
            case .jar, .cache, .secret, .tokens: return nil
            case .body, .snapshot:
                guard error.reason == .notFound else { return unreadable(file, path, error.message) }
                // Something else may create the file before it is sent.
                let nearest = file.kind == .body ? boundary.nearestName(to: path) : nil
                return Diagnostic(
                    "missing-file",
                    "the \(file.words) \(path) does not exist yet",
                    severity: .warning,
                    at: file.path.span,
                    label: nearest.map { "did you mean '\($0)'?" } ?? "",
                    help: file.kind == .body ? [] : ["'waybill run --update-snapshots' creates it."],
                    programHelp: file.kind == .body ? nil : ["A run with 'updatesSnapshots' creates it."]
                )
            case .tls, .netrc:
                let nearest = error.reason == .notFound ? boundary.nearestName(to: path) : nil
                return unreadable(file, path, error.message, nearest: nearest)
            }
        }
    }

    /// Whether a path leads to the manifest in which it is written.
    private static func isManifest(_ path: String, _ span: SourceSpan) -> Bool {
        guard let path = FileContents.canonicalPath(path) else { return false }
        return FileContents.canonicalPath(span.file.name)?.hasSameCodePoints(as: path) ?? false
    }

    private func unreadable(_ file: NamedFile, _ path: String, _ reason: String, nearest: String? = nil) -> Diagnostic {
        Diagnostic(
            "unreadable-file",
            "the \(file.words) \(path) cannot be read: \(reason)",
            at: file.path.span,
            label: nearest.map { "did you mean '\($0)'?" } ?? ""
        )
    }
}

extension ValueTemplate {
    /// The constant paths of `{file: PATH}` in the value.
    fileprivate var fileNames: [Spanned<String>] {
        switch self {
        case .scalar: return []
        case .list(let elements, _): return elements.flatMap(\.fileNames)
        case .mapping(let members, _):
            if members.count == 1, members[0].name.value == "file", case .scalar(let path) = members[0].value,
                let text = path.constant?.string
            {
                return [Spanned(text, at: path.span)]
            }
            return members.flatMap(\.value.fileNames)
        }
    }
}
