import WaybillDiagnostics
import WaybillJSON
import WaybillPlan

/// The symbol at a position of a document, and where it occurs.
struct NameLookup {
    let workspace: Workspace
    let analysis: Analysis
    let names: ManifestNames
    /// The name at the position.
    let occurrence: NameOccurrence
    /// The index of the symbol that it refers to.
    let index: Int
    var symbol: NameSymbol { names.symbols[index] }

    /// Finds the symbol at the position of a request; `nil` if there is no name that refers to something.
    init?(_ request: DocumentRequest) throws(ResponseError) {
        let offset = try request.offset()
        guard let analysis = request.analysis, let names = analysis.names else { return nil }
        let found = names.occurrences.filter {
            $0.span.range.lowerBound <= offset && offset <= $0.span.range.upperBound && $0.symbol != nil
                && request.isDocument($0.span.file)
        }
        // The name of an endpoint in a step is also the definition of the step.
        guard let occurrence = found.min(by: { $0.order < $1.order }), let index = occurrence.symbol else { return nil }
        (workspace, self.analysis, self.names) = (request.workspace, analysis, names)
        (self.occurrence, self.index) = (occurrence, index)
    }

    /// The manifests that the file with the definition is part of, each with the indices of the symbols that share the name.
    var manifests: [(analysis: Analysis, names: ManifestNames, shared: Set<Int>)] {
        let own = (analysis, names, names.sharingName(with: index))
        let definition = symbol.definition
        let file = workspace.key(ofName: definition.file.name)
        let others = workspace.roots(of: file).compactMap { workspace.analysis(of: $0) }
        return [own]
            + others.filter { $0 !== analysis }.compactMap { other in
                guard workspace.key(ofName: other.file.name) != workspace.key(ofName: analysis.file.name),
                    let names = other.names,
                    let same = names.symbols.firstIndex(where: {
                        $0.definition.range == definition.range && $0.kind == symbol.kind
                            && workspace.key(ofName: $0.definition.file.name) == file
                    })
                else { return nil }
                return (other, names, names.sharingName(with: same))
            }
    }

    /// Every occurrence of the name, each once.
    var uses: [NameOccurrence] {
        var seen: Set<SpanKey> = []
        return manifests.flatMap { _, names, shared in
            names.occurrences.filter { $0.symbol.map(shared.contains) ?? false }
        }.filter { seen.insert(SpanKey($0.span, workspace)).inserted }
    }
}

/// A range of a file, whichever reading of the file it belongs to.
struct SpanKey: Hashable {
    let file: CodePoints
    let range: Range<Int>

    init(_ span: SourceSpan, _ workspace: Workspace) {
        (file, range) = (workspace.key(ofName: span.file.name), span.range)
    }
}

extension NameOccurrence {
    /// The shortest name comes first, and a reference before a definition at the same location.
    fileprivate var order: (Int, Int) { (span.range.count, isDefinition ? 1 : 0) }
}
