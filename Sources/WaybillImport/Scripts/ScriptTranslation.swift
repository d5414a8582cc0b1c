import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON

/// What a script says, in terms of a manifest.
struct ScriptTranslation {
    /// A part that was not translated.
    struct Loss {
        var statement: String
        var reason: String
        /// Where it is, in bytes of the script, and in lines from 0.
        var offset: Int
        var line: Int
        /// The variables that it declares.
        var declared: Set<String> = []

        /// What was not imported, in one line.
        var what: String {
            let line = ScriptTranslator.oneLine(statement)
            return "the script statement '\(isLong ? line.prefix(120) + "…" : line[...])'"
        }

        /// The loss of an import.
        func loss(at span: SourceSpan?) -> ImportLoss {
            var loss = ImportLoss(what, reason, at: span)
            guard statement.contains(".set") else { return loss }
            loss.variables = statement.matches(of: #/\.set\w*\(\s*["']([^"']+)["']/#).map { String($0.1) }
            return loss
        }

        /// Whether the statement is longer than one line.
        fileprivate var isLong: Bool { ScriptTranslator.oneLine(statement).count > 160 }
    }

    var checks: [ImportedCheck] = []
    var captures: [ImportedCapture] = []
    /// Variables that are set before the request is sent.
    var assignments: [(variable: String, value: ImportedText)] = []
    var comments: [String] = []
    var losses: [Loss] = []
    /// Whether no request is sent after this one.
    var endsRun = false
    /// Whether it parses the body as JSON, and so fails with any other body.
    var parsesJSON = false

    /// Whether a check may hold for a body of another format, which lacks the parts that it must not have.
    var mayPassWithoutJSON: Bool {
        checks.contains { check in
            if case .condition(let text, _) = check { text.paths.count > 0 && text.holds(for: "") } else { false }
        }
    }

    /// Adds another script, without its losses; long statements among them are comments.
    mutating func add(_ other: ScriptTranslation) {
        checks += other.checks
        captures += other.captures
        assignments += other.assignments
        comments += other.comments
        endsRun = endsRun || other.endsRun
        parsesJSON = parsesJSON || other.parsesJSON
        for loss in other.losses where loss.isLong {
            comments += loss.statement.split(whereSeparator: \.isNewline).map(String.init)
        }
    }
}

extension ImportedText {
    /// The text as an expression, if it is one, with a string for each variable.
    private var expression: Expression? {
        let texts = parts.map { part in
            switch part {
            case .literal(let text), .expression(let text): text
            case .variable: "'variable'"
            }
        }
        return try? Expression(parsing: texts.joined())
    }

    /// The paths in it that start at the data.
    var paths: [Reference] { expression?.references.filter { $0.root == .document } ?? [] }

    /// Whether the text is a condition that holds for a response with status 200, no header fields and some data.
    func holds(for data: JSON) -> Bool {
        let response: JSON = ["status": 200, "time": 1, "headers": [:], "cookies": [:], "body": data]
        let root = DictionaryNamespace(["response": .value(ScopeValue(response))])
        let scope = EvaluationScope(root: root, current: ScopeValue(data), environment: NoEnvironment())
        return (try? expression?.condition(in: scope)) ?? false
    }
}

/// Why a part of a script cannot be translated.
struct Untranslatable: Error {
    var reason: String

    init(_ reason: String) { self.reason = reason }
}

/// A value in a script.
indirect enum ScriptValue: Sendable {
    case null
    case boolean(Bool)
    case string(String)
    case number(String)
    /// A part of the decoded body, as a path that starts with `$`.
    case data(String)
    /// The response, its header fields, and its body as a string.
    case response
    case headers
    case header(String)
    case body
    /// An expression of the manifest language.
    case code(ImportedText, isCondition: Bool = false)
    case list([ScriptValue])
    case regex(String)
    /// A digest, which has a text only once its encoding is chosen.
    case digest(String, [ImportedText])
    /// The current time as an object.
    case date
    /// What was not translated, with the reason.
    case untranslated(String)

    /// Whether it is an expression that is true or false.
    var isCondition: Bool { if case .code(_, isCondition: true) = self { true } else { false } }

    /// Whether it is the whole body, which has no value only if the response has another form.
    var isWholeBody: Bool {
        switch self {
        case .data("$"), .body: true
        default: false
        }
    }

    static func unknown(_ name: String) -> Self {
        .untranslated("it uses '\(name)', which changes under a condition or inside an expression")
    }

    /// Whether it is a list or object that the script creates, which equals no other one.
    var isCreated: Bool {
        switch self {
        case .list: true
        case .code(let text, _): ["parse(", "list(", "split(", "if("].contains { text.startsWith($0) != nil }
        default: false
        }
    }

    /// Whether it is a list with such an element.
    var containsCreated: Bool {
        if case .list(let values) = self { values.contains(where: \.isCreated) } else { false }
    }

    /// Whether it may be a part of the response's body, or contain one.
    var mayHaveBody: Bool {
        switch self {
        case .data, .untranslated, .response: true
        case .list(let values): values.contains(where: \.mayHaveBody)
        case .code(let text, let isCondition): !isCondition && text.startsWith("if(") != nil
        default: false
        }
    }
}
