package import WaybillDiagnostics

/// Reads YAML 1.2 into a tree of values with exact places.
///
/// All findings come at once as far as the text can be read; a syntax error ends it. Aliases share the node that they
/// name, and merge keys (`<<`) are resolved.
package struct YAMLReader: Sendable {
    /// What a text may ask of memory and stack before it is refused.
    package struct Limits: Sendable {
        /// The greatest size of a text, in bytes.
        package var maximumBytes = 64 * 1024 * 1024
        /// How deep sequences and mappings may be nested, aliases followed.
        package var maximumDepth = 256
        /// How many values there may be, aliases followed; a scalar counts once more for every KiB of its text.
        package var maximumNodes = 2_000_000
        /// After this many findings the rest of the text is not looked at.
        package var maximumFindings = 1000

        /// The usual limits.
        package init() {}
    }

    private let limits: Limits

    /// A reader that keeps these limits.
    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Reads a text that must hold exactly one document, whose keys are all scalars.
    ///
    /// - Returns: the document, if the text could be read to its end, and the findings. Where these say that something is
    ///   wrong the document is what can be made of the text all the same.
    package func read(_ file: SourceFile) -> (document: YAMLNode?, diagnostics: [Diagnostic]) {
        let (documents, findings, isWhole) = read(file, isSingleDocument: true)
        if documents.isEmpty, findings.isEmpty {
            let finding = Diagnostic(
                "empty-file",
                file.bytes.isEmpty ? "the file is empty" : "the file has no content, only blank lines and comments",
                at: file.span(0..<0)
            )
            return (nil, [finding])
        }
        return (isWhole ? documents.first : nil, findings)
    }

    /// Reads a text of any number of documents.
    ///
    /// - Returns: the documents before the first syntax error, and the findings.
    package func readStream(_ file: SourceFile) -> ([YAMLNode], [Diagnostic]) {
        let (documents, findings, _) = read(file, isSingleDocument: false)
        return (documents, findings)
    }

    private func read(
        _ file: SourceFile,
        isSingleDocument: Bool
    ) -> (documents: [YAMLNode], findings: [Diagnostic], isWhole: Bool) {
        let maximumBytes = min(limits.maximumBytes, Self.greatestSize)
        guard file.bytes.count <= maximumBytes else {
            let finding = Diagnostic(
                "too-large",
                "the file has \(file.bytes.count) bytes, more than the \(maximumBytes) that are allowed",
                at: file.span(0..<0)
            )
            return ([], [finding], false)
        }
        let check = TextCheck(file)
        if let finding = check.finding { return ([], [finding], false) }
        var builder = YAMLTreeBuilder(file: file, limits: limits, isSingleDocument: isSingleDocument)
        let failure = YAMLEventParser.parse(file, check) { builder.take($0, $1) }
        let (documents, lastValue) = builder.finished()
        if let failure {
            builder.findings.append(SyntaxError(failure, in: file, behind: lastValue).diagnostic)
        }
        return (documents, builder.findings.sortedByPlace(), failure == nil)
    }

    /// A tree of values counts the bytes of their texts in 32 bits, and an escape may stand for more than it takes.
    private static let greatestSize = 1 << 30
}
