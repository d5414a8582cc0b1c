import OrderedCollections
package import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON

/// Reads the model from a tree and parses its expressions.
///
/// It reports what the schema cannot check, such as the syntax of an expression. A part that cannot be read is left out
/// of the model; the decoder or the schema check reports it. Once all such errors are known, the decoder marks in the
/// model what they leave unknown, and adds placeholders for steps and endpoints that could not be read.
package struct ManifestDecoder {
    /// The diagnostics so far.
    var diagnostics: [Diagnostic] = []
    /// Resolves and reads the files that the manifest names.
    let files: ManifestFiles
    /// The errors in the shape of the tree, such as misspelt keys.
    let shape: TreeErrors?
    /// All errors in the tree, if there are any and they are known.
    let faults: TreeErrors?
    /// The schemas that were read from files, by the location that names the file.
    var schemaFiles: [SourceSpan: JSON] = [:]
    /// Inputs by their short types, which occur many times in a manifest.
    var shortInputs: [String: InputDeclaration] = [:]

    /// Adds a diagnostic.
    mutating func report(_ diagnostic: Diagnostic) {
        diagnostics.append(diagnostic)
    }

    // MARK: Scalars

    /// Returns the string of a scalar as written.
    func text(_ node: YAMLNode) -> Spanned<String>? {
        node.text.map { Spanned($0, at: node.span) }
    }

    /// Returns the strings of a list of scalars; none without one.
    func texts(in list: YAMLNode?) -> [Spanned<String>] { (list?.sequence ?? []).compactMap { text($0) } }

    /// Returns a word from a fixed set, which the schema also lists.
    func word<Word: RawRepresentable>(_ node: YAMLNode) -> Word? where Word.RawValue == String {
        node.text.flatMap { Word(rawValue: $0) }
    }

    /// Returns the value of a boolean; `nil` for any other node.
    func boolean(_ node: YAMLNode) -> Bool? { node.scalar?.json.bool }

    /// Returns the node, or `nil` if it is null.
    func nonNull(_ node: YAMLNode) -> YAMLNode? { node.scalar?.json == .null ? nil : node }

    /// Reads an integer. One outside of -2^63 to 2^63 - 1 is reported.
    mutating func integer(_ node: YAMLNode) -> Int? {
        guard let number = node.scalar?.json.number else { return nil }
        if number.int == nil, number.isInteger { reportOutOfRange(node, "an integer", maximum: "\(Int.max)") }
        return number.int
    }

    /// Reads an expression, written as `EXPR` or `${EXPR}`.
    mutating func expression(_ node: YAMLNode) -> ManifestExpression? {
        guard let scalar = node.scalar else { return nil }
        do {
            let expression = ManifestExpression(try Template.expression(in: scalar.text), in: scalar)
            for warning in expression.expression.warnings { report(warning, at: expression.span(of: warning.range)) }
            return expression
        } catch {
            report(syntax: error, in: scalar, help: Self.help(on: error, inExpression: scalar.text))
            return nil
        }
    }

    /// Reads an expression that is evaluated for each element of a list; it must use `item`.
    mutating func comparedExpression(_ node: YAMLNode) -> ManifestExpression? {
        guard let expression = expression(node) else { return nil }
        if expression.references.contains(where: { $0.name == "item" }) { return expression }
        let text = expression.expression.literalText ?? expression.expression.text
        let member = text.hasPrefix("$.") ? String(text.dropFirst(2)) : text
        let isPath = !member.isEmpty && member.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
        diagnostics.report(
            "same-for-all",
            "this is the same for all elements of the list",
            at: node.span,
            help: ["'item' is the element: write \(isPath ? "item.\(member)" : "for example item.name")."]
        )
        return nil
    }

    /// Reads a condition: an expression that can be true or false.
    mutating func condition(_ node: YAMLNode) -> ManifestExpression? {
        guard let expression = expression(node) else { return nil }
        if let problem = expression.expression.checkCondition() {
            diagnostics.report(
                "not-a-condition",
                problem.message,
                at: expression.span(of: problem.range),
                help: problem.help.map { [$0] } ?? []
            )
        }
        return expression
    }

    /// Reads a scalar in a template position.
    mutating func scalarTemplate(_ node: YAMLNode) -> ScalarTemplate? {
        guard let scalar = node.scalar else { return nil }
        guard scalar.text.utf8.contains(UInt8(ascii: "$")) else {
            warnIfPath(scalar.text, at: node.span)
            if scalar.text.utf8.contains(UInt8(ascii: "{")), let template = try? Template(parsing: scalar.text) {
                for warning in template.warnings { report(warning, at: scalar.span(ofUTF8: warning.range)) }
            }
            if let comment = scalar.cuttingComment { report(cutting: comment, scalar, severity: .warning) }
            return ScalarTemplate(content: .constant(scalar.json, text: scalar.text), span: node.span)
        }
        do {
            let template = try Template(parsing: scalar.text)
            if let literal = template.literal {
                warnIfPath(literal, at: node.span)
                return ScalarTemplate(content: .constant(.string(literal), text: literal), span: node.span)
            }
            for warning in template.warnings { report(warning, at: scalar.span(ofUTF8: warning.range)) }
            // A single `${…}` keeps the type of its value.
            if template.parts.count > 1 { reportNonTexts(in: template, of: scalar) }
            return ScalarTemplate(content: .template(ManifestTemplate(template, in: scalar)), span: node.span)
        } catch {
            report(syntax: error, in: scalar)
            return nil
        }
    }

    /// Reports each constant expression whose value cannot be part of a string.
    mutating func reportNonTexts(in template: Template, of scalar: YAMLScalar) {
        for expression in template.expressions
        where expression.isConstant && expression.resultType.isDisjoint(with: .text) {
            diagnostics.report(
                "wrong-type",
                "'\(expression.text)' cannot be part of a string: only a string, number or boolean can",
                at: scalar.span(ofUTF8: expression.range)
            )
        }
    }

    /// Reads a value in a template position.
    mutating func valueTemplate(_ node: YAMLNode) -> ValueTemplate? {
        switch node.content {
        case .scalar: scalarTemplate(node).map(ValueTemplate.scalar)
        case .sequence(let elements): .list(elements.compactMap { valueTemplate($0) }, node.span)
        case .mapping: .mapping(members(node), node.span)
        }
    }

    /// Reads the members of a mapping in a template position.
    mutating func members(_ node: YAMLNode, isData: Bool = true) -> [ValueTemplate.Member] {
        constantNames(node, isData: isData).compactMap { name, value in
            valueTemplate(value).map { ValueTemplate.Member(name: name, value: $0) }
        }
    }

    /// Reads a duration.
    mutating func duration(_ node: YAMLNode) -> DurationTemplate? {
        guard let scalar = scalarTemplate(node) else { return nil }
        if let template = scalar.template { return .template(template) }
        return constantDuration(node).map(DurationTemplate.constant)
    }

    /// Reads a time limit. A limit of zero is reported because nothing could finish within it.
    mutating func timeLimit(_ node: YAMLNode) -> DurationTemplate? {
        let limit = duration(node)
        if case .constant(.zero) = limit {
            diagnostics.report(
                "out-of-range",
                "a time limit cannot be \(node.text ?? "0")",
                at: node.span,
                help: ["Write a longer time, or remove the key to use its default."]
            )
        }
        return limit
    }

    /// Reads a constant duration. One above the maximum is reported.
    mutating func constantDuration(_ node: YAMLNode) -> Duration? {
        guard let text = node.text else { return nil }
        let duration = Duration(manifestText: text)
        if duration == nil, Duration.seconds(manifestText: text) != nil {
            reportOutOfRange(node, "a duration", maximum: "10 years (\(Int(Duration.maximumSeconds / 3600))h)")
        }
        return duration
    }

    /// Reads a number of bytes. One above the maximum is reported.
    mutating func byteSize(_ node: YAMLNode) -> Int? {
        guard let text = node.text else { return nil }
        let bytes = ByteSize.bytes(text)
        if bytes == nil, ByteSize.approximateBytes(text) != nil {
            reportOutOfRange(node, "a size", maximum: "2^53 - 1 bytes")
        }
        return bytes
    }

    private mutating func reportOutOfRange(_ node: YAMLNode, _ phrase: String, maximum: String) {
        let text = node.text ?? ""
        diagnostics.report(
            "out-of-range",
            "\(phrase) cannot be \(text)",
            at: node.span,
            help: ["The maximum is \(maximum)."]
        )
    }

    // MARK: Mappings

    /// Returns the entries of a mapping, with the locations of the names. Any other node has none.
    func named(_ node: YAMLNode?) -> [(name: Spanned<String>, value: YAMLNode)] {
        (node?.entries ?? []).map { (Spanned($0.key.text ?? "", at: $0.key.span), $0.value) }
    }

    /// Returns the entries of a mapping with arbitrary names. `${…}` in a name is reported because it is not evaluated.
    ///
    /// - Parameter isData: Whether the names are those of data or of a request, which are compared by code points.
    mutating func constantNames(_ node: YAMLNode?, isData: Bool = true) -> [(name: Spanned<String>, value: YAMLNode)] {
        let entries = isData ? named(node) : distinctNames(node)
        for (name, _) in entries where name.value.hasTemplate {
            warnOfTemplate(at: name.span, "a name cannot be computed: this one is used as it is written")
        }
        return entries
    }

    /// Returns the entries of a mapping whose names are compared as Swift does, by canonical equivalence. Names that differ only
    /// in how their characters are encoded are reported: the second would take the place of the first.
    mutating func distinctNames(_ node: YAMLNode?) -> [(name: Spanned<String>, value: YAMLNode)] {
        let entries = named(node)
        guard entries.contains(where: { $0.name.value.utf8.contains { $0 >= 0x80 } }) else { return entries }
        var known: [String: Spanned<String>] = [:]
        for (name, _) in entries {
            guard let first = known[name.value] else {
                known[name.value] = name
                continue
            }
            if first.value.hasSameCodePoints(as: name.value) { continue }
            diagnostics.report(
                "duplicate-key",
                "the name '\(name.value)' occurs twice: its characters are only encoded in another way",
                at: name.span,
                secondary: [.init(first.span, "first given here")],
                help: ["Give one of them another name."]
            )
        }
        return entries
    }

    /// Reports each `${…}` in the strings of a constant, where it is not evaluated.
    mutating func warnOfTemplates(in constant: YAMLNode?, _ headline: String) {
        guard let constant else { return }
        if constant.scalar?.json.string?.hasTemplate == true { warnOfTemplate(at: constant.span, headline) }
        for element in constant.sequence ?? [] { warnOfTemplates(in: element, headline) }
        for (_, value) in constant.entries { warnOfTemplates(in: value, headline) }
    }

    private mutating func warnOfTemplate(at span: SourceSpan, _ headline: String) {
        diagnostics.report(
            "literal-template",
            headline,
            severity: .warning,
            at: span,
            help: ["Templates (${…}) are not evaluated here: write a constant."]
        )
    }

    /// Reads the definitions of a mapping by name. If its errors are known, earlier definitions without errors are reused.
    mutating func definitions<Value: Sendable>(
        _ node: YAMLNode?,
        earlier: Definitions<Value> = [:],
        _ decode: (inout ManifestDecoder, Spanned<String>, YAMLNode, _ earlier: Value?) -> Value?
    ) -> Definitions<Value> {
        let entries = distinctNames(node)
        var definitions = Definitions<Value>(minimumCapacity: entries.count)
        for (name, node) in entries {
            let known = earlier.isEmpty ? nil : earlier[name.value]?.value
            let value = known != nil && isWithoutFaults(node) ? known : decode(&self, name, node, known)
            if let value { definitions[name.value] = Definition(name: name, value: value) }
        }
        return definitions
    }

    // MARK: Reporting

    private mutating func report(_ warning: ExpressionWarning, at span: SourceSpan) {
        diagnostics.report(
            "expression-warning",
            warning.message,
            severity: .warning,
            at: span,
            help: warning.help.map { [$0] } ?? []
        )
    }

    private mutating func report(cutting comment: SourceSpan, _ scalar: YAMLScalar, severity: Diagnostic.Severity) {
        diagnostics.report(
            "cut-by-comment",
            "' #' starts a comment, which cuts the string off",
            severity: severity,
            at: comment,
            secondary: [.init(scalar.span, "only this part is used")],
            help: ["Put quotes around the string."]
        )
    }

    /// Returns a suggestion for an expression that contains text, with or without `${…}` in it.
    private static func help(on error: ExpressionSyntaxError, inExpression text: String) -> String? {
        guard text.contains("${"), !text.hasPrefix("${") else { return error.help }
        return "This is an expression, not a template: join strings with concat('a string', x)."
    }

    mutating func report(syntax error: ExpressionSyntaxError, in scalar: YAMLScalar, help: String? = nil) {
        if let comment = scalar.cuttingComment {
            report(cutting: comment, scalar, severity: .error)
            return
        }
        diagnostics.report(
            "expression-syntax",
            error.message,
            at: scalar.span(ofUTF8: error.range),
            help: (Self.help(onDoubleBracesIn: scalar.text) ?? help ?? error.help).map { [$0] } ?? []
        )
    }

    /// Returns a suggestion for `${{ EXPR }}`, the notation of other tools.
    private static func help(onDoubleBracesIn text: String) -> String? {
        guard let start = text.firstRange(of: "${{"),
            let inner = doubleBraced(in: text[start.lowerBound...].dropFirst()),
            (try? Expression(parsing: inner)) != nil
        else { return nil }
        return "Write ${\(inner)}, with one pair of braces."
    }

    /// Returns the string between `{{` at the start and the next `}}`, without surrounding spaces; `nil` if it is
    /// empty.
    private static func doubleBraced(in text: Substring) -> String? {
        guard let end = text.firstRange(of: "}}")?.lowerBound else { return nil }
        let words = text[..<end].dropFirst(2).split(separator: " ")
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    private mutating func warnIfPath(_ text: String, at span: SourceSpan) {
        if let path = Template.path(meantBy: text) { report(.literalPath(text, path: path, at: span)) }
    }
}

extension String {
    /// Whether the string contains `${`. Most strings have no `$`, which is faster to check.
    fileprivate var hasTemplate: Bool { utf8.contains(UInt8(ascii: "$")) && contains("${") }
}

extension Diagnostic {
    /// The warning about a path in a template position.
    package static func literalPath(_ text: String, path: String, at span: SourceSpan) -> Diagnostic {
        Diagnostic(
            "literal-path",
            "'\(text)' is plain text here, not an expression",
            severity: .warning,
            at: span,
            help: ["Write ${\(path)} to use the value."]
        )
    }
}
