package import WaybillDiagnostics
import WaybillExpressions
package import WaybillJSON

/// A value of the manifest in a template position: literals, with `${…}` in any string.
package indirect enum ValueTemplate: Sendable {
    /// A string, number, boolean or null.
    case scalar(ScalarTemplate)
    case list([ValueTemplate], SourceSpan)
    /// A mapping; its names are never templates.
    case mapping([Member], SourceSpan)

    /// A member of a mapping.
    package struct Member: Sendable {
        package var name: Spanned<String>
        package var value: ValueTemplate
    }

    package var span: SourceSpan {
        switch self {
        case .scalar(let scalar): scalar.span
        case .list(_, let span), .mapping(_, let span): span
        }
    }

    /// Every template in the value, in source order.
    package var templates: [ManifestTemplate] {
        switch self {
        case .scalar(let scalar): scalar.template.map { [$0] } ?? []
        case .list(let elements, _): elements.flatMap(\.templates)
        case .mapping(let members, _): members.flatMap(\.value.templates)
        }
    }

    /// The location of the first literal null in the value.
    package var firstNull: SourceSpan? { firstConstant { $0 == .null } }

    /// Returns the location of the first literal in the value that satisfies a predicate.
    package func firstConstant(where holds: (JSON) -> Bool) -> SourceSpan? {
        switch self {
        case .scalar(let scalar): scalar.constant.map(holds) == true ? scalar.span : nil
        case .list(let elements, _): elements.firstResult { $0.firstConstant(where: holds) }
        case .mapping(let members, _): members.firstResult { $0.value.firstConstant(where: holds) }
        }
    }

    /// The value with an empty string in place of each template, and the locations of these.
    package var known: (value: JSON, unknown: [JSONPointer]) {
        var unknown: [JSONPointer] = []
        return (known(at: JSONPointer(), &unknown), unknown)
    }

    private func known(at location: JSONPointer, _ unknown: inout [JSONPointer]) -> JSON {
        switch self {
        case .scalar(let scalar):
            if let constant = scalar.constant { return constant }
            unknown.append(location)
            return ""
        case .list(let elements, _):
            return .array(elements.enumerated().map { $1.known(at: location.appending(.index($0)), &unknown) })
        case .mapping(let members, _):
            var object = JSONObject()
            for member in members {
                object[member.name.value] = member.value.known(
                    at: location.appending(.name(member.name.value)),
                    &unknown
                )
            }
            return .object(object)
        }
    }

    /// The value, if it contains no template.
    package var constant: JSON? {
        switch self {
        case .scalar(let scalar):
            return scalar.constant
        case .list(let elements, _):
            let constants = elements.compactMap(\.constant)
            return constants.count == elements.count ? .array(constants) : nil
        case .mapping(let members, _):
            var object = JSONObject()
            for member in members {
                guard let value = member.value.constant else { return nil }
                object[member.name.value] = value
            }
            return .object(object)
        }
    }
}

extension Array {
    /// Returns the first result of a function for an element that is not `nil`.
    fileprivate func firstResult<Result>(of function: (Element) -> Result?) -> Result? {
        for element in self { if let result = function(element) { return result } }
        return nil
    }
}

/// A scalar in a template position.
package struct ScalarTemplate: Sendable {
    /// The content of a scalar.
    package enum Content: Sendable {
        /// A value without `${…}`, and the source as written (`1.10` stays `1.10`).
        case constant(JSON, text: String)
        /// A string with `${…}` in it.
        case template(ManifestTemplate)
    }

    package var content: Content
    /// The location.
    package var span: SourceSpan

    /// The scalar as written, including `${…}`.
    package var written: String { constantText ?? template?.template.text ?? "" }

    /// The template, if there is one.
    package var template: ManifestTemplate? {
        if case .template(let template) = content { template } else { nil }
    }

    /// The value, if it contains no template.
    package var constant: JSON? {
        if case .constant(let value, _) = content { value } else { nil }
    }

    /// The scalar as written, if it contains no template.
    package var constantText: String? {
        if case .constant(_, let text) = content { text } else { nil }
    }

    /// Whether the scalar is `null`, which unsets a name in a cascade.
    package var isNull: Bool { constant == .null }
}

extension ScalarTemplate {
    /// Creates a constant string.
    init(_ text: String, at span: SourceSpan) {
        self.init(content: .constant(.string(text), text: text), span: span)
    }
}

/// A duration in the manifest: a constant such as `15s`, or a string with `${…}` that evaluates to one.
package enum DurationTemplate: Sendable {
    case constant(Duration)
    /// A template that evaluates to a duration.
    case template(ManifestTemplate)

    /// The duration, if it is a constant.
    package var constant: Duration? {
        switch self {
        case .constant(let duration): duration
        case .template: nil
        }
    }
}

extension Duration {
    /// The maximum duration in a manifest, in seconds: ten years, so that arithmetic on clocks cannot overflow.
    static let maximumSeconds: Double = 10 * 366 * 86_400

    /// Parses a duration in the notation of manifests: a number and one of the units `ms`, `s`, `m`, `h`; `nil` if it
    /// is invalid or longer than ten years.
    package init?(manifestText text: String) {
        guard let seconds = Self.seconds(manifestText: text), seconds <= Self.maximumSeconds else { return nil }
        self = .nanoseconds(Int64((seconds * 1e9).rounded()))
    }

    /// Returns the seconds of a duration in the notation of manifests, without a maximum; `nil` if it is invalid.
    static func seconds(manifestText text: String) -> Double? {
        Quantity.value(of: text, units: [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)])
    }
}

/// Parses numbers with a unit.
private enum Quantity {
    /// Returns the value in the unit of the factor 1; `nil` if the string is not a number and one of the units.
    static func value(of text: String, units: [(suffix: String, factor: Double)]) -> Double? {
        guard let unit = units.first(where: { text.hasSuffix($0.suffix) }) else { return nil }
        let digits = text.dropLast(unit.suffix.count)
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }) else { return nil }
        return Double(digits).map { $0 * unit.factor }
    }
}

/// Parses sizes in the notation of manifests.
package enum ByteSize {
    /// Returns the bytes of a size such as `65536`, `64KiB` or `10MB`; `nil` if it is invalid or 2^53 bytes or more.
    package static func bytes(_ text: String) -> Int? {
        guard let bytes = approximateBytes(text), bytes < 0x1p53 else { return nil }
        return Int(bytes)
    }

    /// Returns the bytes of a size, without a maximum; `nil` if it is invalid.
    static func approximateBytes(_ text: String) -> Double? {
        Quantity.value(
            of: text,
            units: [
                ("KiB", 1024), ("MiB", 1_048_576), ("GiB", 1_073_741_824),
                ("kB", 1000), ("KB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("B", 1), ("", 1),
            ]
        )
    }
}
