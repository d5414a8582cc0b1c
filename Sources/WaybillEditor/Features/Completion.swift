import OrderedCollections
import WaybillContract
import WaybillDiagnostics
import WaybillExplanations
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan

/// What can be written at a position: keys, names, fields of values, functions.
///
/// A name that does not exist is inserted there, and the manifest is checked: the error about the name lists the valid ones.
enum Completion: EditorFeature {
    static let method = "textDocument/completion"
    static let capability: (name: String, value: JSON) = (
        "completionProvider", ["triggerCharacters": [".", "{", "\"", "'", ":", " "]]
    )

    /// The name that is inserted. It resembles no other.
    private static let marker = "zzWaybillCompletionzz"
    /// The maximum number of items.
    private static let maximumItems = 2_000
    private static let firstNumber = 10_000
    /// The maximum number of manifests that include a file and are searched for names.
    private static let maximumManifests = 3
    /// The maximum number of operations of a document that are read for their inputs.
    private static let maximumOperations = 200

    /// The kinds of LSP.
    private enum Kind: Int {
        case function = 3
        case property = 10
        case value = 12
        case reference = 18
    }

    static func result(for request: DocumentRequest) throws(ResponseError) -> JSON {
        let offset = try request.offset()
        let insertion = Insertion(at: offset, in: request.document.file)
        var items: [JSONObject] = []
        var seen: Set<CodePoints> = []
        // A name of any manifest that includes the file can be meant.
        let roots = request.workspace.roots(of: request.key).prefix(maximumManifests)
        for (text, root) in insertion.texts(with: marker).flatMap({ text in roots.map { (text, $0) } }) {
            for item in self.items(in: text, of: root, insertion, request)
            where seen.insert(CodePoints(item.label)).inserted {
                items.append(item.json)
            }
        }
        let shown = items.prefix(maximumItems).enumerated().map { index, item in
            var item = item
            // Editors sort by it: all have as many digits.
            item["sortText"] = .string(String(firstNumber + index))
            return JSON.object(item)
        }
        return ["isIncomplete": .bool(items.count > maximumItems), "items": .array(shown)]
    }

    private static func items(
        in text: [UInt8],
        of manifest: CodePoints,
        _ insertion: Insertion,
        _ request: DocumentRequest,
        isComplete: Bool = false
    ) -> [(label: String, json: JSONObject)] {
        let inserted = SourceFile(name: request.document.name, bytes: text)
        guard let whole = RepairedText.repair(inserted) else { return [] }
        let file = SourceFile(name: request.document.name, bytes: whole)
        guard let root = YAMLReader().read(file).document else { return [] }
        let position = TreePosition(of: insertion.start, in: root)
        let analysis = request.workspace.analysis(of: manifest, replacing: [request.key: whole])
        // Nothing is known of a mapping without the keys that it must have: it gets the examples of them.
        let missing = (analysis?.diagnostics ?? []).filter { diagnostic in
            guard let span = diagnostic.primary?.span, diagnostic.id == "missing-key" else { return false }
            return request.isDocument(span.file) && position.owners.contains { $0.range == span.range }
        }.compactMap(\.exampleOfMissingKey)
        if !isComplete, !missing.isEmpty, let end = position.entryEnd,
            let owner = position.key ?? position.mapping?.entries.first?.key
        {
            let separator = owner.span.isInBraces ? ", " : "\n" + owner.span.indentation
            let added = missing.map { separator + $0 }.joined()
            return items(
                in: whole[..<end] + Array(added.utf8) + whole[end...],
                of: manifest,
                insertion,
                request,
                isComplete: true
            )
        }
        let diagnostics = (analysis?.diagnostics ?? []).filter { diagnostic in
            guard let span = diagnostic.primary?.span, request.isDocument(span.file) else { return false }
            let written = WrittenName(span)
            return written.text.contains(marker) && written.span.range.lowerBound <= insertion.start
        }
        var items: [(label: String, json: JSONObject)] = []
        let call = CallSnippet(at: position, of: marker, request.workspace)
        func add(
            _ label: String,
            _ kind: Kind,
            from start: Int,
            text: String? = nil,
            _ detail: String = "",
            inputs: [String] = []
        ) {
            var writer = PositionWriter(request.document.file, request.workspace.encoding)
            var item = JSONObject()
            item["label"] = .string(label)
            item["kind"] = .number(JSONNumber(kind.rawValue))
            item["textEdit"] = ["range": writer.range(start..<insertion.end), "newText": .string(text ?? label)]
            if let call, !inputs.isEmpty {
                item["textEdit"] = [
                    "range": writer.range(start..<insertion.end),
                    "newText": .string(call.text(of: text ?? label, inputs)),
                ]
                item["insertTextFormat"] = 2
                if request.workspace.adjustsIndentation { item["insertTextMode"] = 2 }
            }
            if !detail.isEmpty { item["documentation"] = ["kind": "markdown", "value": .string(detail)] }
            items.append((label, item))
        }
        if let key = position.key, key.text == marker, !diagnostics.contains(where: { $0.id == "missing-colon" }) {
            let known = position.mapping?.names ?? []
            let schemes = SecuritySchemes(at: position, of: analysis?.checked?.contracts ?? [:])
            let allowed = schemes?.keys ?? diagnostics.first { $0.id == "unknown-key" }?.validNames
            for (name, description) in EditorSchema.keys(at: position.path.dropLast(), beside: known)
            where allowed?.contains(name) ?? true && !position.isMeaningless(name) {
                let text = insertion.hasColon ? name : "\(name): \(schemes?.value(of: name) ?? "")"
                add(name, .property, from: insertion.start, text: text, description)
            }
            for name in schemes?.names ?? [] where !known.contains(name) {
                let text = insertion.key(name)
                add(name, .property, from: insertion.start, text: text)
            }
        } else if position.value?.text == marker {
            for value in EditorSchema.values(at: position.path) { add(value, .value, from: insertion.start) }
        }
        let declared = Declared(at: position, insertion, of: marker, analysis?.checked) { request.isDocument($0.file) }
        for (name, description) in declared.names where position.mapping?.entry(named: name) == nil || declared.isPath {
            let text = declared.isPath ? name : insertion.key(name)
            add(name, .property, from: insertion.start, text: text, description)
        }
        for value in declared.values { add(value.words, .value, from: insertion.start, text: insertion.value(value)) }
        for diagnostic in diagnostics where diagnostic.id != "unknown-key" {
            let start = diagnostic.primary.map { WrittenName($0.span).span.range.lowerBound } ?? insertion.start
            let isKey = position.key?.text == marker
            if ["unknown-endpoint", "unknown-operation"].contains(diagnostic.id) {
                for (service, contract) in analysis?.checked?.contracts ?? [:] {
                    let document = contract.document
                    for (index, entry) in document.operations.enumerated() {
                        let operation = index < maximumOperations && call != nil ? try? document.operation(entry) : nil
                        let inputs = operation?.requiredInputs ?? []
                        let name = "\(service).\(entry.name)"
                        let text = insertion.value(.string(name), from: start)
                        add(name, .reference, from: start, text: text, inputs: inputs)
                    }
                }
            }
            for name in diagnostic.validNames {
                let text = isKey && !insertion.hasColon ? "\(name): " : name
                let isEndpoint = diagnostic.id == "unknown-endpoint"
                let inputs = isEndpoint ? analysis?.checked?.manifest.requiredInputs(of: name) ?? [] : []
                add(name, isKey ? .property : .reference, from: start, text: text, inputs: inputs)
            }
            let isMember = start > 0 && text[start - 1] == UInt8(ascii: ".")
            guard diagnostic.id == "unknown-name", !diagnostic.validNames.isEmpty, !isMember else { continue }
            for explained in FunctionExplanation.all {
                let function = explained.function
                add(function.name, .function, from: start, text: "\(function.name)(", Hover.text(of: explained))
            }
        }
        return items
    }
}

/// The security schemes of the document of a service, at a key under `security`.
private struct SecuritySchemes {
    /// The names, if one of them is at the position.
    var names: [String] = []
    /// The keys of credentials that fit the scheme that the position is in.
    var keys: [String]?
    private var scheme: OpenAPIDocument.SecurityScheme?

    init?(at position: TreePosition, of contracts: OrderedDictionary<String, Contract>) {
        guard let index = position.path.lastIndex(of: .name("security")), index > 0,
            case .name(let service) = position.path[index - 1], let contract = contracts[service]
        else { return nil }
        let schemes = contract.document.securitySchemes
        switch position.path.count - index {
        case 2: names = schemes.map(\.name)
        case 3:
            scheme = schemes.first { .name($0.name) == position.path[index + 1] }?.scheme
            keys = scheme.flatMap(Authentication.keys)
        default: return nil
        }
    }

    /// Returns the value of a key that the document determines, apart from the secret.
    func value(of key: String) -> String? {
        guard case .apiKey(let part, let name)? = scheme, key == APIKeyAuthentication.key else { return nil }
        return "{in: \(part), name: \(JSONWriter().string(.string(name))), value: \"\"}"
    }
}

/// What the schemas of inputs and of OpenAPI documents declare at a position.
private struct Declared {
    /// The members, each with its description.
    private(set) var names: [(name: String, description: String)] = []
    private(set) var values: [JSON] = []
    /// Whether the position is in a path of an expression.
    private(set) var isPath = false

    init(
        at position: TreePosition,
        _ insertion: Insertion,
        of marker: String,
        _ checked: ResolvedManifest?,
        isDocument: (SourceSpan) -> Bool
    ) {
        guard let checked else { return }
        func isThere(_ span: SourceSpan) -> Bool {
            span.range.lowerBound <= insertion.start && insertion.start <= span.range.upperBound && isDocument(span)
        }
        let isKey = position.key?.text == marker
        var schemas: [JSON] = []
        if isKey || position.value?.text == marker {
            guard let argument = checked.argument(where: isThere),
                let start = position.path.indices.first(where: {
                    position.path[$0...].starts(with: [.name("with"), .name(argument.name)])
                })
            else { return }
            let path = Array(position.path[(start + 2)...].dropLast(isKey ? 1 : 0))
            if let operation = argument.operation {
                guard let owner = operation.operation.schemaOwner(ofInput: argument.name) else { return }
                schemas = operation.contract.document.schemas(of: owner, at: path)
            } else {
                schemas = EditorSchema.schemas(at: path, in: argument.input.document)
            }
        } else {
            isPath = true
            schemas = checked.schemas(beforeNameWhere: isThere)
        }
        if isKey || isPath {
            // Members with 'writeOnly' are not in responses, and those with 'readOnly' are not in requests.
            let other = isPath ? "writeOnly" : "readOnly"
            for (name, schema) in schemas.flatMap({ Array($0["properties"]?.object ?? JSONObject()) })
            where schema[other] != true && (!isPath || name.isPlainName) {
                names.append((name, schema["description"]?.string ?? ""))
            }
        } else {
            values = schemas.flatMap { EditorSchema.values(of: $0) + [$0["default"]].compactMap { $0 } }
        }
    }
}

extension String {
    /// Whether a path can contain the name after a dot.
    fileprivate var isPlainName: Bool {
        unicodeScalars.first.map { !("0"..."9").contains($0) } ?? false
            && utf8.allSatisfy { WrittenName.isPart($0) && $0 != UInt8(ascii: "-") }
    }
}

/// How the name of an endpoint is completed to a call with its required inputs, as a snippet.
private struct CallSnippet {
    private let start: String

    /// The call at a position; `nil` if no call is there, if it has inputs, or if the client has no snippets.
    init?(at position: TreePosition, of name: String, _ workspace: Workspace) {
        guard workspace.hasSnippets, let step = position.mapping, step.entry(named: "with") == nil,
            let call = step.entry(named: "call"), call.value.text?.contains(name) ?? false
        else { return nil }
        // Clients indent the lines of a snippet as the line that it is in.
        let span = call.key.span
        let line = span.file.bytes[span.file.byteRange(ofLine: span.file.line(at: span.range.lowerBound))]
        start = span.isInBraces ? ", " : "\n" + span.indentation.dropFirst(line.prefix { $0 == 0x20 }.count)
    }

    func text(of name: String, _ inputs: [String]) -> String {
        let given = inputs.enumerated().map { "\(Self.escaped($1)): $\($0 + 1)" }
        return "\(Self.escaped(name))\(start)with: {\(given.joined(separator: ", "))\\}"
    }

    private static func escaped(_ text: String) -> String {
        ["\\", "$", "}"].reduce(text) { $0.replacing($1, with: "\\\($1)") }
    }
}

extension Manifest {
    /// Returns the inputs that a call of an endpoint must give.
    fileprivate func requiredInputs(of endpoint: String) -> [String] {
        (endpoints[endpoint]?.value.inputs ?? [:]).filter { name, input in
            input.value.defaultValue == nil && !input.value.isOptional && inputs[name] == nil
        }.map(\.key)
    }
}

extension Operation {
    /// The inputs that a call must give.
    fileprivate var requiredInputs: [String] {
        zip(inputNames, parameters).filter(\.1.isRequired).map(\.0) + (body?.isRequired == true ? ["body"] : [])
    }
}

/// The word at a position, and texts in which another one is there.
private struct Insertion {
    private let file: SourceFile
    /// The range of the word.
    let start: Int
    let end: Int
    /// Whether a colon follows the word.
    let hasColon: Bool
    /// The end of the line.
    private let lineEnd: Int

    init(at offset: Int, in file: SourceFile) {
        self.file = file
        let line = file.byteRange(ofLine: file.line(at: offset))
        lineEnd = line.upperBound
        var (start, end) = (offset, offset)
        while start > line.lowerBound, WrittenName.isPart(file.bytes[start - 1]) { start -= 1 }
        while end < line.upperBound, WrittenName.isPart(file.bytes[end]) { end += 1 }
        (self.start, self.end) = (start, end)
        hasColon = end < line.upperBound && file.bytes[end] == UInt8(ascii: ":")
    }

    /// Returns a name as a key of a mapping.
    func key(_ name: String) -> String { value(.string(name)) + (hasColon ? "" : ": ") }

    /// Returns a value as it is written here, so that it keeps its type.
    ///
    /// - Parameter first: Where it starts; if not given, at the word.
    func value(_ value: JSON, from first: Int? = nil) -> String {
        let start = first ?? start
        let isQuoted = start > 0 && [0x22, 0x27].contains(file.bytes[start - 1])
        return isQuoted ? value.words : WrittenName.yaml(value)
    }

    /// Returns the texts with a word instead of this one: with the rest of the line, with what is open in the line closed instead,
    /// and as a key.
    func texts(with word: String) -> [[UInt8]] {
        let line = file.byteRange(ofLine: file.line(at: start))
        let before = Self.withoutFallbacks(file.bytes[line.lowerBound..<start])
        let rest = file.bytes[end..<lineEnd]
        let closers = Self.closers(of: before)
        var lines: [[UInt8]] = []
        func add(_ after: [UInt8]) {
            // A space separates a key that is being written from its value.
            let isAfterColon = before.last == UInt8(ascii: ":")
            lines.append(Array(before) + (isAfterColon ? [0x20] : []) + Array(word.utf8) + after)
        }
        add(Array(rest))
        if !closers.isEmpty { add(closers) }
        if !hasColon, !closers.contains(where: { [0x22, 0x27, 0x29].contains($0) }) {
            add(Array(": null".utf8) + closers)
        }
        return lines.map { file.bytes[..<line.lowerBound] + $0 + file.bytes[lineEnd...] }
    }

    /// Returns a part of a line in which functions that accept names that do not exist are replaced.
    private static func withoutFallbacks(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text
        for (function, other) in [("default(", "   list("), ("exists(", "      (")] {
            for range in text.ranges(of: function.utf8).reversed() { text.replaceSubrange(range, with: other.utf8) }
        }
        return text
    }

    /// Returns the brackets and quotes that close those that are open at the end of a part of a line.
    private static func closers(of text: ArraySlice<UInt8>) -> [UInt8] {
        var open: [UInt8] = []
        for byte in text {
            switch byte {
            case UInt8(ascii: "{"): open.append(UInt8(ascii: "}"))
            case UInt8(ascii: "["): open.append(UInt8(ascii: "]"))
            case UInt8(ascii: "("): open.append(UInt8(ascii: ")"))
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                if let known = open.lastIndex(of: byte) { open.removeSubrange(known...) } else { open.append(byte) }
            default: if byte == open.last { open.removeLast() }
            }
        }
        return open.reversed()
    }
}
