import OrderedCollections
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillPipeline
import WaybillPlan
import WaybillPlanPrinting

/// The range of a name that can be renamed.
enum PrepareRename: EditorFeature {
    static let method = "textDocument/prepareRename"
    static let capability: (name: String, value: JSON) = Rename.capability

    static func result(for request: DocumentRequest) throws(ResponseError) -> JSON {
        guard let lookup = try NameLookup(request) else { return .null }
        try Rename.check(lookup)
        let span = WrittenName(lookup.occurrence.span).span
        var writer = PositionWriter(span.file, request.workspace.encoding)
        return ["range": writer.range(span.range), "placeholder": .string(lookup.symbol.name)]
    }
}

/// Renames something in all manifests that include its definition. The result means the same: the manifests are checked with the
/// new name before the client receives it.
enum Rename: EditorFeature {
    static let method = "textDocument/rename"
    static let capability: (name: String, value: JSON) = ("renameProvider", ["prepareProvider": true])

    static func result(for request: DocumentRequest) throws(ResponseError) -> JSON {
        guard let name = request.parameters["newName"]?.string, !name.isEmpty else {
            throw ResponseError(.invalidParameters, "the new name is empty")
        }
        guard let lookup = try NameLookup(request) else {
            throw ResponseError(.requestFailed, "no name can be renamed here")
        }
        try check(lookup)
        let manifests = lookup.manifests
        var edits: [SpanKey: TextEdit] = [:]
        for (_, names, shared) in manifests {
            for edit in try self.edits(of: names, shared, lookup.symbol, to: name) {
                edits[SpanKey(edit.span, request.workspace)] = edit
            }
        }
        let all = edits.values.sorted { ($0.span.range.lowerBound, $0.text) < ($1.span.range.lowerBound, $1.text) }
        let texts = try request.workspace.texts(after: all)
        for (analysis, names, _) in manifests {
            let root = request.workspace.key(ofName: analysis.file.name)
            guard let renamed = request.workspace.analysis(of: root, replacing: texts) else { continue }
            if let reason = reason(against: renamed, of: analysis, names, lookup.symbol.name, name, request.workspace) {
                let message = "'\(name)' cannot be the name of this \(lookup.symbol.kind.words): \(reason)"
                throw ResponseError(.requestFailed, message)
            }
        }
        return request.workspace.edit(all)
    }

    /// Why a manifest with the new name would not be the same; `nil` if it is.
    private static func reason(
        against renamed: Analysis,
        of analysis: Analysis,
        _ names: ManifestNames,
        _ old: String,
        _ new: String,
        _ workspace: Workspace
    ) -> String? {
        var known: [DiagnosticID: Int] = [:]
        for diagnostic in analysis.diagnostics { known[diagnostic.id, default: 0] += 1 }
        for diagnostic in renamed.diagnostics {
            known[diagnostic.id, default: 0] -= 1
            if known[diagnostic.id, default: 0] < 0 { return diagnostic.headline }
        }
        guard let others = renamed.names, others.shape(in: workspace) == names.shape(in: workspace),
            renamed.plan(naming: old, new) == analysis.plan(naming: old, new)
        else { return "the manifest would change" }
        return nil
    }

    /// Throws if the name is not only in manifests, or if it is data in them.
    static func check(_ lookup: NameLookup) throws(ResponseError) {
        let files = lookup.manifests.flatMap(\.analysis.texts)
        guard files.contains(where: { $0.name == lookup.symbol.definition.file.name }) else {
            throw ResponseError(.requestFailed, "the name is defined in \(lookup.symbol.definition.file.name)")
        }
        guard lookup.analysis.checked != nil else {
            throw ResponseError(.requestFailed, "the manifest has syntax errors")
        }
        for (_, names, shared) in lookup.manifests {
            guard let exposure = names.exposures.first(where: { !shared.isDisjoint(with: $0.symbols) }) else {
                continue
            }
            let (name, span) = (lookup.symbol.name, exposure.span)
            throw ResponseError(.requestFailed, "'\(name)' cannot be renamed: the name may be data in \(span)")
        }
    }

    private static func edits(
        of names: ManifestNames,
        _ shared: Set<Int>,
        _ symbol: NameSymbol,
        to name: String
    ) throws(ResponseError) -> [TextEdit] {
        var edits: [TextEdit] = []
        for occurrence in names.occurrences {
            guard let index = occurrence.symbol else { continue }
            let other = names.symbols[index]
            let written = WrittenName(occurrence.span)
            if shared.contains(index) {
                if occurrence.isDefinition, let key = other.formKey {
                    edits.append(insertedID(name, before: key))
                    continue
                }
                guard written.text == other.name else {
                    throw ResponseError(.requestFailed, "the name is written with escapes in \(occurrence.span)")
                }
                edits.append(written.edit(to: name))
            } else if let namesake = other.namesake, shared.contains(namesake), !occurrence.isDefinition {
                // A step without an id has the last part of the name that it calls.
                edits.append(written.edit(to: String(name.split(separator: ".").last ?? "")))
            } else if symbol.kind == .service, other.kind == .operation, written.text.hasPrefix(symbol.name + "."),
                shared.contains(where: { names.symbols[$0].name == symbol.name })
            {
                edits.append(written.edit(to: name + written.text.dropFirst(symbol.name.count)))
            }
        }
        return edits
    }

    /// Returns the edit that gives a step an id.
    private static func insertedID(_ name: String, before key: SourceSpan) -> TextEdit {
        let start = key.file.span(key.range.lowerBound..<key.range.lowerBound)
        return TextEdit(span: start, text: key.isInBraces ? "id: \(name), " : "id: \(name)\n\(key.indentation)")
    }
}

extension Workspace {
    /// Returns the texts of files after some edits.
    fileprivate func texts(after edits: [TextEdit]) throws(ResponseError) -> [CodePoints: [UInt8]] {
        var texts: [CodePoints: [UInt8]] = [:]
        for edit in edits.sorted(by: { $0.span.range.lowerBound > $1.span.range.lowerBound }) {
            let key = key(ofName: edit.span.file.name)
            var text = texts[key] ?? edit.span.file.bytes
            text.replaceSubrange(edit.span.range, with: edit.text.utf8)
            texts[key] = text
        }
        return texts
    }
}

extension Analysis {
    /// Returns the words of the plans of the graph that runs by default and of all graphs, with some names and their last parts
    /// replaced by one; `nil` for a manifest with errors.
    fileprivate func plan(naming names: String...) -> [[ArraySlice<UInt8>]]? {
        guard errorCount == 0, let checked else { return nil }
        let lastParts = names.map { $0.split(separator: ".").last.map(String.init) ?? $0 }
        let words = Set(lastParts.map { Array($0.utf8)[...] })
        return [[], Array(checked.manifest.graphs.keys)].map { graphs in
            var options = PlanOptions()
            (options.graphs, options.requiresInputs) = (graphs, false)
            guard let plan = Pipeline.plan(checked, options).value else { return [] }
            let text = zip(names, lastParts).reduce(PlanDescription(plan, of: checked, options: options).text()) {
                $0.replacing($1.0, with: $1.1)
            }
            return Array(text.utf8).split { !WrittenName.isPart($0) }.map { words.contains($0) ? [] : $0 }
        }
    }
}

extension ManifestNames {
    /// Which names refer to the same thing, in the order of the texts: a number for each name, that of what it refers to in the
    /// order of first use; and which inputs take the values of the manifest's inputs. Manifests that differ only in names have the same shape.
    fileprivate func shape(in workspace: Workspace) -> [Int] {
        var files: [SourceFile: String] = [:]
        for occurrence in occurrences where files[occurrence.span.file] == nil {
            files[occurrence.span.file] = workspace.key(ofName: occurrence.span.file.name).text
        }
        let sorted = occurrences.sorted { left, right in
            let order = [left, right].map { occurrence in
                // The definition of a step precedes the name that it calls, as an id does.
                let isStep = occurrence.kind == .step && occurrence.isDefinition
                return (files[occurrence.span.file] ?? "", occurrence.span.range.lowerBound, isStep ? 0 : 1)
            }
            return order[0] < order[1]
        }
        var numbers: [Int: Int] = [:]
        let shape = sorted.map { occurrence in
            guard let symbol = occurrence.symbol else { return -1 }
            let number = numbers[symbol] ?? numbers.count
            numbers[symbol] = number
            return number
        }
        let inherited = inheritedInputs.map { [numbers[$0.input] ?? -1, numbers[$0.from] ?? -1] }
        return shape + inherited.sorted { $0[0] < $1[0] }.flatMap { $0 }
    }
}
