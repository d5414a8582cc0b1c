import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillManifest
import WaybillResults
import WaybillTransport

/// Where the file of a download goes.
struct DownloadTarget: Sendable {
    /// The name of a file for which neither the server nor the URL suggests one.
    static let nameOfNothing = "download"

    /// The path, relative to the results folder; that of a folder is empty or ends in a slash.
    let path: String
    /// The location of the path in the manifest.
    let span: SourceSpan

    /// Whether it is a folder, in which the file gets the name that the server or the URL suggests.
    var isFolder: Bool { path.isEmpty || path.hasSuffix("/") }

    /// Evaluates the path and the folder that it is relative to.
    init(
        _ download: Download,
        folder: Setting<ScalarTemplate>?,
        in scope: RequestScope
    ) throws(EvaluationFailure) {
        var path = ""
        if let folder {
            path = try Self.text(of: folder.value, at: folder.level, in: scope)
            if !path.hasSuffix("/") { path += "/" }
        }
        if let to = download.to {
            let text = try Self.text(of: to, at: download.level, in: scope)
            path = text.hasPrefix("/") ? text : path + text
        }
        self.path = path
        span = download.to?.span ?? folder?.span ?? download.span
    }

    /// Returns the name of the partial file in a folder. Its name contains a digest of the URL, because the server has
    /// not suggested a name yet and different files may have the same name in their URLs.
    static func nameOfPart(for url: String, redactor: Redactor) -> String {
        let safe = redactor.redact(url)
        let name = SuggestedName.of(url: url).flatMap { redactor.redact($0) == $0 ? $0 : nil } ?? nameOfNothing
        return RecordContainer.file.part(of: "\(name)-\(Digest.sha256(of: Array(safe.utf8)).prefix(8))")
    }

    private static func text(
        of path: ScalarTemplate,
        at level: Level,
        in scope: RequestScope
    ) throws(EvaluationFailure) -> String {
        let text = try path.text(in: scope.scope(level))
        guard !text.isSecret else {
            throw EvaluationFailure(message: "a secret cannot be in the path of a file", span: path.span)
        }
        guard !text.text.isEmpty else {
            throw EvaluationFailure(message: "the path of the file is empty", span: path.span)
        }
        return text.text
    }
}
