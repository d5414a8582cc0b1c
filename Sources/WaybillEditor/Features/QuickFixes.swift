import WaybillDiagnostics
import WaybillJSON
import WaybillManifest

/// Code actions that apply what a diagnostic suggests: the name that was probably meant, and inputs that a call is missing.
enum QuickFixes: EditorFeature {
    static let method = "textDocument/codeAction"
    static let capability: (name: String, value: JSON) = ("codeActionProvider", ["codeActionKinds": ["quickfix"]])

    static func result(for request: DocumentRequest) throws(ResponseError) -> JSON {
        let range = try request.range()
        if let only = request.parameters["context"]?["only"]?.array, !only.contains(where: { $0 == "quickfix" }) {
            return []
        }
        guard let analysis = request.analysis else { return [] }
        let diagnostics = analysis.diagnostics.filter { diagnostic in
            guard let span = diagnostic.primary?.span, request.isDocument(span.file) else { return false }
            return span.range.lowerBound <= range.upperBound && range.lowerBound <= span.range.upperBound
        }
        return .array(diagnostics.compactMap { action(for: $0, in: request) })
    }

    private static func action(for diagnostic: Diagnostic, in request: DocumentRequest) -> JSON? {
        guard let label = diagnostic.primary else { return nil }
        let (title, edit): (String, TextEdit)
        if let name = diagnostic.suggestedName {
            (title, edit) = ("Replace by '\(name)'", replacement(of: WrittenName(label.span), by: name, diagnostic.id))
        } else if diagnostic.id == "missing-input",
            let insertion = insertion(of: diagnostic.validNames, at: label.span, request)
        {
            (title, edit) = ("Give the missing inputs", insertion)
        } else {
            return nil
        }
        return [
            "title": .string(title), "kind": "quickfix", "isPreferred": true, "edit": request.workspace.edit([edit]),
        ]
    }

    /// Returns the edit that replaces a name, or the part of a path that the suggestion is for: the name of the file or its
    /// extension.
    private static func replacement(of name: WrittenName, by other: String, _ id: DiagnosticID) -> TextEdit {
        let separator: UInt8? =
            switch id {
            case "unknown-format": UInt8(ascii: ".")
            case "unreadable-file", "missing-file": UInt8(ascii: "/")
            default: nil
            }
        let (file, range) = (name.span.file, name.span.range)
        guard let start = file.bytes[range].lastIndex(where: { $0 == separator }) else { return name.edit(to: other) }
        let first = separator == UInt8(ascii: "/") ? start + 1 : start
        return TextEdit(span: file.span(first..<range.upperBound), text: other)
    }

    /// Returns the edit that gives a call some inputs. Their values remain to be written: null is an error for most.
    private static func insertion(
        of inputs: [String],
        at call: SourceSpan,
        _ request: DocumentRequest
    ) -> TextEdit? {
        let names = inputs.map { WrittenName.yaml(.string($0)) }
        guard !names.isEmpty, let root = request.tree,
            let step = TreePosition(of: call.range.lowerBound, in: root).mapping,
            let entry = step.entries.first(where: { $0.value.span.range == call.range })
        else { return nil }
        let file = call.file
        let inline = names.map { "\($0): null" }.joined(separator: ", ")
        guard let given = step.entry(named: "with"), let first = given.value.entries.first else {
            // After the name of the endpoint: in braces if the step is.
            let start = entry.key.span.isInBraces ? ", " : "\n" + entry.key.span.indentation
            if let empty = step.entry(named: "with")?.value.span {
                let isMapping = file.bytes[empty.range].elementsEqual("{}".utf8)
                return isMapping ? TextEdit(span: empty, text: "{\(inline)}") : nil
            }
            return TextEdit(
                span: file.span(call.range.upperBound..<call.range.upperBound),
                text: "\(start)with: {\(inline)}"
            )
        }
        let offset = first.key.span.range.lowerBound
        let isFlow = file.bytes[given.value.span.range.lowerBound] == UInt8(ascii: "{")
        let text = isFlow ? "\(inline), " : names.map { "\($0): null\n\(first.key.span.indentation)" }.joined()
        return TextEdit(span: file.span(offset..<offset), text: text)
    }
}

extension Diagnostic {
    /// The missing key with its example, `KEY: VALUE`.
    var exampleOfMissingKey: String? {
        let start = "Add for example "
        return help.first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count).dropLast()) }
    }

    /// The name in “did you mean 'NAME'?”, in the label or the help.
    fileprivate var suggestedName: String? {
        let (start, end) = ("id you mean '", "'?")
        return ([primary?.text ?? ""] + help).lazy.map { $0.dropFirst() }.first {
            $0.hasPrefix(start) && $0.hasSuffix(end) && $0.count > start.count + end.count
        }.map { String($0.dropFirst(start.count).dropLast(end.count)) }
    }
}
