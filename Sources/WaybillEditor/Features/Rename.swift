import WaybillDiagnostics
import WaybillJSON
import WaybillPlan

/// The range of a name that can be renamed.
enum PrepareRename: EditorFeature {
    static let method = "textDocument/prepareRename"
    static let capability: (name: String, value: JSON) = Rename.capability

    static func result(for request: DocumentRequest) throws(ResponseError) -> JSON {
        guard let lookup = try NameLookup(request) else { return .null }
        try Rename.checkFiles(of: lookup)
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
        try checkFiles(of: lookup)
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
            guard let renamed = request.workspace.analysis(of: root, replacing: texts),
                renamed.errorCount <= analysis.errorCount,
                let others = renamed.names, others.shape(in: request.workspace) == names.shape(in: request.workspace),
                !others.joinsInputs(of: names)
            else {
                let kind = lookup.symbol.kind.words
                throw ResponseError(
                    .requestFailed,
                    "'\(name)' cannot be the name of this \(kind): the manifest would change"
                )
            }
        }
        return request.workspace.edit(all)
    }

    /// Throws if the name is not only in manifests.
    static func checkFiles(of lookup: NameLookup) throws(ResponseError) {
        let files = lookup.manifests.flatMap(\.analysis.texts)
        guard files.contains(where: { $0.name == lookup.symbol.definition.file.name }) else {
            throw ResponseError(.requestFailed, "the name is defined in \(lookup.symbol.definition.file.name)")
        }
        guard lookup.analysis.checked != nil else {
            throw ResponseError(.requestFailed, "the manifest has syntax errors")
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

extension ManifestNames {
    /// Which names refer to the same thing, in the order of the texts: a number for each name, that of what it refers to in the
    /// order of first use. Manifests that differ only in names have the same shape.
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
        return sorted.map { occurrence in
            guard let symbol = occurrence.symbol else { return -1 }
            let number = numbers[symbol] ?? numbers.count
            numbers[symbol] = number
            return number
        }
    }

    /// Whether inputs that had different names have the same one in manifests of the same shape. One of them would take the value
    /// of the other: that of the manifest's input is the value of others with its name.
    fileprivate func joinsInputs(of others: ManifestNames) -> Bool {
        func inputs(_ names: ManifestNames) -> [CodePoints] {
            names.occurrences.filter { $0.isDefinition && $0.kind == .input }
                .sorted { left, right in
                    (left.span.file.name, left.span.range.lowerBound) < (
                        right.span.file.name, right.span.range.lowerBound
                    )
                }
                .compactMap { $0.symbol.map { CodePoints(names.symbols[$0].name) } }
        }
        var known: [CodePoints: CodePoints] = [:]
        return zip(inputs(others), inputs(self)).contains { before, after in
            known.updateValue(before, forKey: after).map { $0 != before } ?? false
        }
    }
}
