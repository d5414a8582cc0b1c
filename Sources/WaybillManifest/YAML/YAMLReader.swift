package import WaybillDiagnostics

/// Reads YAML 1.2 into a tree of values with exact locations.
///
/// It reports all errors up to the first syntax error, at which it stops. Aliases share the node that they refer to,
/// and merge keys (`<<`) are resolved.
package struct YAMLReader: Sendable {
    /// The limits on memory and stack use beyond which a file is rejected.
    package struct Limits: Sendable {
        /// The maximum size of a file in bytes.
        package var maximumBytes = 64 * 1024 * 1024
        /// The maximum nesting depth of sequences and mappings, with aliases expanded.
        package var maximumDepth = 256
        /// The maximum number of values, with aliases expanded; a scalar counts once more for every KiB of its string.
        package var maximumNodes = 2_000_000
        /// The number of diagnostics after which the rest of the file is not checked.
        package var maximumDiagnostics = 1000

        package init() {}
    }

    private let limits: Limits

    /// Creates a reader with limits.
    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Reads a file that must contain exactly one document, whose keys are all scalars.
    ///
    /// - Returns: The document, if the file could be read to its end, and the diagnostics. If these contain errors, the
    ///   document contains everything that could be read.
    package func read(_ file: SourceFile) -> (document: YAMLNode?, diagnostics: [Diagnostic]) {
        let (documents, diagnostics, isWhole) = read(file, isSingleDocument: true)
        if documents.isEmpty, diagnostics.isEmpty {
            let diagnostic = Diagnostic(
                "empty-file",
                file.bytes.isEmpty ? "the file is empty" : "the file has no content, only blank lines and comments",
                at: file.span(0..<0)
            )
            return (nil, [diagnostic])
        }
        return (isWhole ? documents.first : nil, diagnostics)
    }

    /// Reads a file with any number of documents.
    ///
    /// - Returns: The documents before the first syntax error, and the diagnostics.
    package func readStream(_ file: SourceFile) -> ([YAMLNode], [Diagnostic]) {
        let (documents, diagnostics, _) = read(file, isSingleDocument: false)
        return (documents, diagnostics)
    }

    private func read(
        _ file: SourceFile,
        isSingleDocument: Bool
    ) -> (documents: [YAMLNode], diagnostics: [Diagnostic], isWhole: Bool) {
        let maximumBytes = min(limits.maximumBytes, Self.greatestSize)
        guard file.bytes.count <= maximumBytes else {
            let diagnostic = Diagnostic(
                "too-large",
                "the file has \(file.bytes.count) bytes, but the maximum is \(maximumBytes)",
                at: file.span(0..<0)
            )
            return ([], [diagnostic], false)
        }
        if let diagnostic = TextCheck.diagnostic(for: file) { return ([], [diagnostic], false) }
        var builder = YAMLTreeBuilder(file: file, limits: limits, isSingleDocument: isSingleDocument)
        let failure = YAMLEventParser.parse(file) { builder.take($0, $1) }
        let (documents, lastValue) = builder.finished()
        if let failure {
            builder.diagnostics.append(SyntaxError(failure: failure, file: file, lastValue: lastValue).diagnostic)
        }
        return (documents, builder.diagnostics.sortedByLocation(), failure == nil)
    }

    /// The maximum size of any file: a tree of values counts the bytes of its strings in 32 bits, and an escape can
    /// expand to more bytes than it occupies.
    private static let greatestSize = 1 << 30
}
