import WaybillDiagnostics
package import WaybillExpressions
import WaybillFormats
import WaybillJSON

/// The names and values of a query or form, with nested values flattened: `a[b]=1`, `a[]=1`.
package struct ParameterList: Sendable {
    /// The pairs in order, not yet encoded.
    package private(set) var pairs: [(name: String, value: ScopeText)] = []
    /// The elements of the values that are lists with commas, by the index of the pair. Commas in an element are encoded,
    /// those between elements are not.
    private var elements: [Int: [String]] = [:]
    /// Whether any value depends on a secret.
    package var isSecret: Bool { pairs.contains(where: \.value.isSecret) }

    private let arrays: ArrayStyle
    /// Once it is reached, the elements of lists and objects are left out: the request is not sent.
    private var limit = WorkLimit.Check()

    /// Creates an empty list that writes arrays in the given style.
    package init(arrays: ArrayStyle) {
        self.arrays = arrays
    }

    /// Adds one pair.
    package mutating func add(_ name: String, _ value: ScopeText) {
        pairs.append((name, value))
    }

    /// Adds the pairs of another list.
    package mutating func add(_ other: ParameterList) {
        for (index, texts) in other.elements { elements[pairs.count + index] = texts }
        pairs += other.pairs
    }

    /// Adds a value of the manifest: scalars as written, nested values under nested names.
    package mutating func add(
        _ name: String,
        _ value: ValueTemplate,
        in scope: EvaluationScope
    ) throws(EvaluationFailure) {
        switch value {
        case .scalar(let scalar):
            if let text = scalar.constantText {
                add(name, ScopeText(scalar.isNull ? "" : text))
            } else {
                let value = try scalar.value(in: scope)
                try add(name, value.json, isSecret: value.isSecret, at: scalar.span)
            }
        case .list(let elements, _):
            if arrays == .comma, let texts = try texts(of: elements, in: scope) { return add(name, texts) }
            for element in elements { try add(elementName(name), element, in: scope) }
        case .mapping(let members, _):
            for member in members { try add("\(name)[\(member.name.value)]", member.value, in: scope) }
        }
    }

    /// Returns the texts of the elements of a list that are written with commas; `nil` if one of them is a list or an object.
    private func texts(
        of elements: [ValueTemplate],
        in scope: EvaluationScope
    ) throws(EvaluationFailure) -> [ScopeText]? {
        var texts: [ScopeText] = []
        for element in elements {
            guard case .scalar(let scalar) = element else { return nil }
            if let text = scalar.constantText {
                texts.append(ScopeText(scalar.isNull ? "" : text))
            } else {
                let value = try scalar.value(in: scope)
                guard let text = value.json.parameterText else { return nil }
                texts.append(ScopeText(text, isSecret: value.isSecret))
            }
        }
        return texts
    }

    /// Adds a list that is written with commas, unless it is empty.
    private mutating func add(_ name: String, _ texts: [ScopeText]) {
        guard !texts.isEmpty else { return }
        elements[pairs.count] = texts.map(\.text)
        let text = texts.map(\.text).joined(separator: ",")
        pairs.append((name, ScopeText(text, isSecret: texts.contains(where: \.isSecret))))
    }

    private mutating func add(
        _ name: String,
        _ value: JSON,
        isSecret: Bool,
        at span: SourceSpan
    ) throws(EvaluationFailure) {
        func add(_ text: String) { pairs.append((name, ScopeText(text, isSecret: isSecret))) }
        switch value {
        case .null, .bool, .number, .string: add(value.parameterText ?? "")
        case .bytes:
            throw EvaluationFailure(
                message: "the parameter '\(name)' cannot be bytes: convert them to a string with base64(x)",
                span: span
            )
        case .array(let elements):
            if arrays == .comma, case let texts = elements.compactMap(\.parameterText), texts.count == elements.count {
                return self.add(name, texts.map { ScopeText($0, isSecret: isSecret) })
            }
            for element in elements where !limit.isReached(before: 64) {
                try self.add(elementName(name), element, isSecret: isSecret, at: span)
            }
        case .object(let object):
            for (member, value) in object where !limit.isReached(before: 64) {
                try self.add("\(name)[\(member)]", value, isSecret: isSecret, at: span)
            }
        }
    }

    private func elementName(_ name: String) -> String {
        arrays == .repeat ? name : name + "[]"
    }

    /// The pairs as `application/x-www-form-urlencoded`.
    package var form: String { joined(encoding: PercentEncoding.form) }

    /// The pairs as a query, with everything but unreserved characters percent-encoded.
    package var query: String { joined { PercentEncoding.component($0) } }

    /// The pairs as text, or some of them once `WorkLimit` is reached.
    private func joined(encoding encode: (String) -> String) -> String {
        var (fields, limit): ([String], _) = ([], WorkLimit.Check())
        for (index, pair) in pairs.enumerated() where !limit.isReached(before: 64) {
            let values = elements[index] ?? [pair.value.text]
            fields.append("\(encode(pair.name))=\(values.map(encode).joined(separator: ","))")
        }
        return fields.joined(separator: "&")
    }
}

extension JSON {
    /// The text of a scalar in a form or query; `nil` for bytes, lists and objects.
    fileprivate var parameterText: String? {
        switch self {
        case .null: ""
        case .bool(let value): value ? "true" : "false"
        case .number(let value): value.text
        case .string(let value): value
        case .bytes, .array, .object: nil
        }
    }
}
