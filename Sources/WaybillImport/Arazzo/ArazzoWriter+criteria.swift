import WaybillFormats
import WaybillJSON
import WaybillManifest

/// What a criterion requires.
enum ArazzoRequirement {
    /// One of some statuses, also as a condition.
    case status(Set<Int>, code: String)
    /// A header field with this value.
    case header(name: String, value: String)
    /// A condition; it may hold for any status if it depends on the status itself.
    case code(String, usesStatus: Bool)

    /// The requirement as a condition; nil if it is none.
    var condition: String? {
        switch self {
        case .status(_, let code), .code(let code, _): code
        case .header: nil
        }
    }
}

extension ArazzoWriter {
    /// Returns what a criterion requires (Arazzo 1.1.0, section "Criterion Object").
    mutating func requirements(_ node: YAMLNode, _ view: ArazzoView) throws(Untranslatable) -> [ArazzoRequirement] {
        guard let text = node["condition"]?.text else { throw Untranslatable("it has no condition") }
        let context = node["context"]?.text ?? ""
        let usesStatus = (text + context).contains("$statusCode")
        switch node["type"]?["type"]?.text ?? node["type"]?.text ?? "simple" {
        case "simple":
            var result: [ArazzoRequirement] = []
            for condition in try ArazzoCondition(parsing: text).conjuncts {
                if condition.holds(status: 200) != nil {
                    let codes = StatusSet.all.filter { condition.holds(status: $0) == true }
                    result.append(.status(codes, code: try code(condition, view)))
                } else if case .comparison("==", .expression(let field), .literal(.string(let value))) = condition,
                    case .response = view, let name = Self.headerName(field), !value.contains(where: "*?".contains)
                {
                    result.append(.header(name: name, value: value))
                } else {
                    let code = try code(condition, view)
                    try check(code)
                    result.append(.code(self.code(code), usesStatus: usesStatus))
                }
            }
            return result
        case "regex":
            guard !text.contains("{$") else { throw Untranslatable("its pattern is computed") }
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            let isDelimited = text.hasPrefix("/") && parts.count == 3
            guard !isDelimited || parts[2].isEmpty else { throw Untranslatable("the flags have no counterpart") }
            let value = try value(context, view)
            let isStatus = value.code.hasSuffix("status") && !value.code.contains("outputs")
            let subject = isStatus ? "string(\(value.expression))" : value.expression
            let matched = try IRegexp.condition(
                isDelimited ? String(parts[1]) : text,
                ImportedText([.expression(subject)])
            )
            let code = writer.code(matched)
            try check(code)
            return [.code(code, usesStatus: usesStatus)]
        case "jsonpath":
            let path = try path(text, in: try value(context, view), view)
            // Some runners also accept comparisons around paths.
            let code = (try? check("exists(\(path))")) != nil ? "exists(\(path))" : path
            try check(code)
            return [.code(self.code(code), usesStatus: usesStatus)]
        case let type: throw Untranslatable("conditions of the type '\(type)' have no counterpart")
        }
    }

    private static func headerName(_ expression: String) -> String? {
        let name = ["$response.header.", "$response.headers."].first(where: expression.hasPrefix).map {
            String(expression.dropFirst($0.count))
        }
        return name.flatMap { $0.isToken ? $0 : nil }
    }

    /// Returns a simple condition as an expression.
    private mutating func code(
        _ condition: ArazzoCondition,
        _ view: ArazzoView,
        isInner: Bool = false
    ) throws(Untranslatable) -> String {
        switch condition {
        case .literal(let json): return Self.code(json)
        case .expression(let text): return try value(text, view).expression
        case .not(let inner): return "not(\(try code(inner, view)))"
        case .and(let left, let right):
            return try "\(code(left, view, isInner: true)) && \(code(right, view, isInner: true))"
        case .or(let left, let right):
            let result = try "\(code(left, view)) || \(code(right, view))"
            return isInner ? "(\(result))" : result
        case .comparison(let operation, let left, let right):
            let first = try operand(left, operation, right, view)
            let second = try operand(right, operation, left, view)
            return "\(first) \(operation) \(second)"
        }
    }

    private static func code(_ json: JSON) -> String {
        json.string.map(ManifestWriter.quoted) ?? JSONWriter().string(json)
    }

    /// Returns one side of a comparison. What is missing equals null, strings are compared without case, and strings with
    /// digits are numbers (section "Condition Evaluation"). For '==', a comparison with case is stricter.
    private mutating func operand(
        _ operand: ArazzoCondition,
        _ operation: String,
        _ other: ArazzoCondition,
        _ view: ArazzoView
    ) throws(Untranslatable) -> String {
        switch (operand, other) {
        case (.literal(let json), .expression):
            guard let text = json.string, operation == "!=" else { return Self.code(json) }
            return ManifestWriter.quoted(text.lowercased())
        case (.expression(let text), .literal(let json)):
            let value = try value(text, view)
            switch json {
            case .null: return "default(\(value.code), null)"
            case .string where operation == "!=": return "lower(\(value.expression))"
            case .number where value.isHeader: return "number(\(value.expression))"
            default: return value.expression
            }
        default: return try code(operand, view, isInner: true)
        }
    }

    /// Returns the expectations of a step, and the statuses that it accepts.
    mutating func expectation(_ list: YAMLNode?) -> (checks: [ImportedCheck], statuses: Set<Int>) {
        var statuses: Set<Int>?
        var checks: [ImportedCheck] = []
        var statusChecks: [ImportedCheck] = []
        var usesStatus = false
        for node in list.elements {
            let what = "the criterion '\(node["condition"]?.text ?? "")'"
            reportUnknown(node, ["condition", "context", "type"], of: what)
            do throws(Untranslatable) {
                for requirement in try requirements(node, .response) {
                    switch requirement {
                    case .status(let codes, let code):
                        statuses = statuses.map { $0.intersection(codes) } ?? codes
                        statusChecks.append(.condition(ImportedText(code), message: nil))
                    case .header(let name, let value): checks.append(.header(name: name, glob: value))
                    case .code(let code, let uses):
                        checks.append(.condition(ImportedText(code), message: nil))
                        usesStatus = usesStatus || uses
                    }
                }
            } catch {
                lose(what, error.reason, node)
            }
        }
        var accepted = statuses ?? (usesStatus ? StatusSet.all : StatusSet.success)
        if accepted.isEmpty {
            lose("the criteria on the status", "no status satisfies all of them", list ?? current.node)
            accepted = StatusSet.success
        }
        if accepted != StatusSet.success {
            let patterns = StatusSet.patterns(accepted)
            if patterns == nil { checks = statusChecks + checks }
            checks.append(.status(patterns ?? ["2xx", "3xx", "4xx", "5xx"]))
        }
        return (checks, accepted)
    }
}
