import WaybillDiagnostics
package import WaybillExpressions
import WaybillFormats
import WaybillJSON

/// The names and values of a query or form, with nested values flattened: `a[b]=1`, `a[]=1`.
package struct ParameterList: Sendable {
    /// The pairs in order, not yet encoded.
    package private(set) var pairs: [(name: String, value: ScopeText)] = []
    /// Whether any value depends on a secret.
    package var isSecret: Bool { pairs.contains(where: \.value.isSecret) }

    private let arrays: ArrayStyle

    /// Creates an empty list that writes arrays in the given style.
    package init(arrays: ArrayStyle) {
        self.arrays = arrays
    }

    /// Adds one pair.
    package mutating func add(_ name: String, _ value: ScopeText) {
        pairs.append((name, value))
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
            for element in elements { try add(elementName(name), element, in: scope) }
        case .mapping(let members, _):
            for member in members { try add("\(name)[\(member.name.value)]", member.value, in: scope) }
        }
    }

    private mutating func add(
        _ name: String,
        _ value: JSON,
        isSecret: Bool,
        at span: SourceSpan
    ) throws(EvaluationFailure) {
        func add(_ text: String) { pairs.append((name, ScopeText(text, isSecret: isSecret))) }
        switch value {
        case .null: add("")
        case .bool(let value): add(value ? "true" : "false")
        case .number(let value): add(value.text)
        case .string(let value): add(value)
        case .bytes:
            throw EvaluationFailure(
                message: "the parameter '\(name)' cannot be bytes: convert them to a string with base64(x)",
                span: span
            )
        case .array(let elements):
            for element in elements { try self.add(elementName(name), element, isSecret: isSecret, at: span) }
        case .object(let object):
            for (member, value) in object {
                try self.add("\(name)[\(member)]", value, isSecret: isSecret, at: span)
            }
        }
    }

    private func elementName(_ name: String) -> String {
        arrays == .brackets ? name + "[]" : name
    }

    /// The pairs as `application/x-www-form-urlencoded`.
    package var form: String {
        pairs.map { "\(PercentEncoding.form($0.name))=\(PercentEncoding.form($0.value.text))" }.joined(separator: "&")
    }

    /// The pairs as a query, with everything but unreserved characters percent-encoded.
    package var query: String {
        pairs.map { "\(PercentEncoding.component($0.name))=\(PercentEncoding.component($0.value.text))" }
            .joined(separator: "&")
    }
}
