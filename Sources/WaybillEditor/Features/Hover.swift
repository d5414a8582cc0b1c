import WaybillDiagnostics
import WaybillExplanations
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPipeline
import WaybillPlan
import WaybillPlanPrinting
import WaybillRuntime

/// What a name, a key or a function means.
enum Hover: EditorFeature {
    static let method = "textDocument/hover"
    static let capability: (name: String, value: JSON) = ("hoverProvider", true)

    /// The maximum number of lines of a definition that are shown, and of an explanation.
    private static let maximumLines = 12
    private static let maximumExplanation = 60

    static func result(for request: DocumentRequest) throws(ResponseError) -> JSON {
        let offset = try request.offset()
        if let lookup = try NameLookup(request) {
            let (symbol, span) = (lookup.symbol, lookup.occurrence.span)
            let text = "\(symbol.kind.words) `\(symbol.name)`\n\n\(definition(of: symbol))"
            return hover(text + (explanation(in: lookup) ?? ""), span, request)
        }
        let file = request.document.file
        if let (name, range) = word(at: offset, in: file), range.upperBound < file.bytes.count,
            file.bytes[range.upperBound] == UInt8(ascii: "("), let function = FunctionExplanation.of(name)
        {
            return hover(text(of: function), file.span(range), request)
        }
        guard let root = request.tree else { return .null }
        let position = TreePosition(of: offset, in: root)
        guard let key = position.key, let text = EditorSchema.description(of: position.path) else { return .null }
        return hover(text, key.span, request)
    }

    /// Returns the explanation of a function in Markdown.
    static func text(of explained: FunctionExplanation) -> String {
        let result = JSONWriter().excerpt(of: explained.result, 200)
        return
            "```\n\(explained.function.signature)\n```\n\(explained.summary)\n\n```\n\(explained.call) → \(result)\n```"
    }

    /// Returns what `plan --explain` prints of an endpoint or an operation; `nil` for anything else.
    private static func explanation(in lookup: NameLookup) -> String? {
        guard [.endpoint, .operation].contains(lookup.symbol.kind), let checked = lookup.analysis.checked,
            lookup.analysis.errorCount == 0
        else { return nil }
        let name = WrittenName(lookup.occurrence.span).text
        guard let explained = Pipeline.explain(name, of: checked, PlanOptions()).value else { return nil }
        let folder = FileContents.folder(of: lookup.analysis.file.name) + "/"
        let lines = explained.text().replacing(folder, with: "").replacing("```", with: "'''").split(separator: "\n")
        let shown = lines.prefix(maximumExplanation).map { String($0).excerpt(200) }
        return "\n\n```\n\((shown + (lines.count > shown.count ? ["…"] : [])).joined(separator: "\n"))\n```"
    }

    private static func hover(_ text: String, _ span: SourceSpan, _ request: DocumentRequest) -> JSON {
        var writer = PositionWriter(span.file, request.workspace.encoding)
        return ["contents": ["kind": "markdown", "value": .string(text)], "range": writer.range(span.range)]
    }

    /// Returns the first lines of a definition, as they are written.
    private static func definition(of symbol: NameSymbol) -> String {
        let file = symbol.definition.file
        let first = file.line(at: symbol.definition.range.lowerBound)
        func indent(_ line: Int) -> Int? {
            let bytes = file.bytes[file.byteRange(ofLine: line)]
            let spaces = bytes.prefix { $0 == 0x20 }.count
            return spaces == bytes.count ? nil : spaces
        }
        let own = indent(first) ?? 0
        var last = first
        while last < file.lineCount, last - first + 1 < maximumLines, (indent(last + 1) ?? 0) > own { last += 1 }
        let lines = (first...last).map { line in
            // A fence would end the block.
            String(file.shownText(ofLine: line).dropFirst(own)).excerpt(200).replacing("```", with: "'''")
        }
        return "```yaml\n\(lines.joined(separator: "\n"))\n```\n\(symbol.definition.description)"
    }

    private static func word(at offset: Int, in file: SourceFile) -> (text: String, range: Range<Int>)? {
        func isPart(_ byte: UInt8) -> Bool {
            Unicode.Scalar(byte).properties.isAlphabetic && byte < 0x80 || (0x30...0x39).contains(byte)
        }
        var (start, end) = (offset, offset)
        while start > 0, isPart(file.bytes[start - 1]) { start -= 1 }
        while end < file.bytes.count, isPart(file.bytes[end]) { end += 1 }
        return start == end ? nil : (String(decoding: file.bytes[start..<end], as: UTF8.self), start..<end)
    }
}
