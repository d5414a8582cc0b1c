import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillPipeline
import WaybillPlan
import WaybillRuntime

/// A manifest and everything that it includes, loaded and checked as by `waybill validate`.
final class Analysis {
    /// The manifest, as far as it is known; `nil` if it could not be parsed.
    let checked: ResolvedManifest?
    /// The diagnostics, as `waybill validate --format json` reports them.
    let diagnostics: [Diagnostic]
    /// The text of the manifest.
    let file: SourceFile
    /// The resolved paths of the files that were read, or are missing.
    let readFiles: Set<CodePoints>
    /// The diagnostics in the form of LSP, by file, once they were published.
    var published: [CodePoints: [JSON]]?
    /// The names in the texts, with what they refer to.
    private(set) lazy var names = checked.map(ManifestNames.init)

    /// Checks a manifest.
    ///
    /// - Parameter operations: The operations that can be called; for completion, all of them.
    init(_ file: SourceFile, files: EditorFiles, allowsOutside: Bool, operations: BoundOperations = .called) {
        self.file = file
        let pipeline = Pipeline(files: files, allowsOutside: allowsOutside)
        let (checked, diagnostics) = pipeline.inspect(pipeline.load(file), operations: operations)
        self.checked = checked
        self.diagnostics = diagnostics.sortedByLocation().withoutRepetitions().limitingRepeats()
        readFiles = Set(pipeline.readFiles.map { CodePoints(FileContents.resolvedPath($0)) })
    }

    /// The number of errors.
    var errorCount: Int { diagnostics.count { $0.severity == .error } }

    /// The texts of the manifest and of the files that it includes.
    var texts: [SourceFile] { checked?.manifest.documents.map(\.file) ?? [file] }
}
