import WaybillDiagnostics
import WaybillJSON
import WaybillSchema

/// Suggestions for habits from other tools, and for templates where none are allowed.
extension SchemaViolation {
    /// Keys of other tools, and the keys with the same meaning here.
    private static let synonyms = [
        "if": "when", "loop": "forEach", "foreach": "forEach", "steps": "chain", "main": "graphs",
        "retries": "retry",
    ]

    /// The kinds of bodies, which are keys of 'body'.
    private static let bodies = Set(RequestBodies.all.map { $0.key })

    /// Keys of a step that concern its elements or their records, and are often written inside 'forEach' by mistake.
    private static let keysBesideForEach: Set<String> = [
        "call", "with", "chain", "batch", "when", "onFailure", "retry", "until", "paginate", "write", "outputs",
    ]

    /// The names that other tools use for the delay before a retry.
    private static let waits: Set<String> = [
        "delay", "wait", "interval", "initialDelay", "initial_delay", "retryInterval", "retry_interval", "factor",
    ]

    /// The names that other tools use for the number of retries.
    private static let numbersOfTimes: Set<String> = [
        "count", "limit", "max", "attempts", "maxAttempts", "max_attempts", "retries", "maxRetries", "max_retries",
    ]

    /// Returns the diagnostic with a hint added if it is a common error.
    func adding(hintTo diagnostic: Diagnostic, in root: YAMLNode) -> Diagnostic {
        var diagnostic = diagnostic
        if case .unknownName(let name, let known) = detail {
            if let key = Self.synonyms[name], known.contains(key) {
                diagnostic.primary?.text = "did you mean '\(key)'?"
                diagnostic.help = Self.example(of: key).map { [$0] } ?? []
            } else if Self.bodies.contains(name), known.contains("body") {
                diagnostic.primary?.text = ""
                diagnostic.help = ["Write the body under 'body': body: {\(name): …}."]
            } else if instanceLocation.tokens.dropLast().last?.text == "forEach", Self.keysBesideForEach.contains(name)
            {
                diagnostic.primary?.text = ""
                diagnostic.help = ["'\(name)' is a key of the step: write it beside 'forEach', not inside it."]
            } else if known.contains("backoff"), Self.waits.contains(name) {
                diagnostic.primary?.text = ""
                diagnostic.help = ["Write the first delay under 'backoff': backoff: {first: 1s, factor: 2, max: 30s}."]
            } else if known.contains("times"), Self.numbersOfTimes.contains(name) {
                diagnostic.primary?.text = "did you mean 'times'?"
                diagnostic.help = []
            }
            return diagnostic
        }
        if case .wrongType(_, .array, _) = detail, absoluteKeywordLocation.hasSuffix("#/$defs/graph/type") {
            diagnostic.help = [
                "Write the steps under 'chain' to run them in order, or under 'batch' to run them at once."
            ]
        }
        if case .wrongType(expected: [.array], let found, _) = detail {
            switch (absoluteKeywordLocation.split(separator: "#").last, found) {
            case ("/$defs/expect/properties/body/type", .object):
                diagnostic.help = [
                    "'body' is a list of conditions, such as body: [$.id == 1]. Write a value that the data must contain"
                        + " under 'json': expect: {json: {…}}."
                ]
            case ("/$defs/keywords/properties/required/type", .boolean):
                diagnostic.help = [
                    "'required' is a list of the names that an object must have. An input without a 'default' is always"
                        + " required."
                ]
            default: break
            }
        }
        // A mapping is required, even if its values are computed.
        if case .wrongType(expected: [.object], _, _) = detail, !diagnostic.help.isEmpty { return diagnostic }
        let text = concernsName ? instanceLocation.tokens.last?.text : root.node(at: instanceLocation)?.scalar?.text
        if let text, text.contains("${"), !diagnostic.headline.contains("or a mapping") {
            diagnostic.help = [
                concernsName || diagnostic.id == "invalid-id" || diagnostic.id == "invalid-name"
                    ? "A name cannot contain a template (${…}): write it as a constant."
                    : "Templates (${…}) are not allowed here: write a constant. 'environments' can change settings of"
                        + " 'defaults' and services."
            ]
        }
        return diagnostic
    }

    private static func example(of key: String) -> String? {
        switch key {
        case "graphs": "Write graphs: {main: {chain: […]}}."
        case "forEach": "Write forEach: {in: LIST, as: NAME}."
        default: nil
        }
    }
}
