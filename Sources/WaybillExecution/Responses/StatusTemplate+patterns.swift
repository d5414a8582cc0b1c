import WaybillExpressions
import WaybillJSON
import WaybillManifest

extension [StatusTemplate] {
    /// The patterns, with templates evaluated: each to a code, a class such as `2xx`, or a list of those.
    func patterns(in scope: EvaluationScope) throws(EvaluationFailure) -> [StatusPattern] {
        var patterns: [StatusPattern] = []
        for status in self {
            switch status {
            case .constant(let pattern): patterns.append(pattern)
            case .template(let scalar): patterns += try scalar.statusPatterns(in: scope)
            }
        }
        return patterns
    }
}

extension ScalarTemplate {
    fileprivate func statusPatterns(in scope: EvaluationScope) throws(EvaluationFailure) -> [StatusPattern] {
        let value = try value(in: scope)
        let elements = value.json.array ?? [value.json]
        let patterns = elements.compactMap(StatusPattern.init(json:))
        guard !patterns.isEmpty, patterns.count == elements.count else {
            let found = value.isSecret ? "a secret that is neither" : JSONWriter().string(value.json)
            throw EvaluationFailure(
                message: "expected a status such as 200 or 2xx, or a list of those, found \(found)",
                span: span
            )
        }
        return patterns
    }
}

extension StatusPattern {
    fileprivate init?(json: JSON) {
        switch json {
        case .string(let text): self.init(text)
        case .number(let number): self.init(number.int.map(String.init) ?? "")
        default: return nil
        }
    }
}
