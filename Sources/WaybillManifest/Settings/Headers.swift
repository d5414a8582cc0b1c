// Header fields: `headers`, `userAgent`.

package import WaybillDiagnostics

/// A header field (`headers`).
package struct HeaderSetting: ReadableSetting {
    package static let key = "headers"
    /// The name of the field.
    package let name: Spanned<String>
    /// A value for each field to send; `nil` unsets the name.
    package let texts: [ScalarTemplate]?

    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder, _ add: (Self, YAMLNode) -> Void) {
        for (name, value) in decoder.named(node) { add(Self(name: name, texts: decoder.texts(value)), value) }
    }

    /// Names of header fields are case-insensitive (RFC 9110, section 5.1).
    package var merging: SettingMerging { .byName(name.value, ignoringCase: true, isUnset: texts == nil) }

    /// Whether the field has a name, regardless of case.
    package func isNamed(_ name: String) -> Bool { self.name.value.lowercased() == name.lowercased() }

    package func visitUses(_ visitor: UseVisitor) {
        for text in texts ?? [] { visitor.scalar(text, .sending, .header) }
    }

    package var originPolicy: OriginPolicy { .content }
    package var fieldTexts: [ScalarTemplate] { texts ?? [] }
}

/// The User-Agent field (`userAgent`).
package struct UserAgentSetting: ValueSetting {
    package static let key = "userAgent"
    package let value: ScalarTemplate

    package func visitUses(_ visitor: UseVisitor) { visitor.scalar(value, .sending, .header) }
    package var fieldTexts: [ScalarTemplate] { [value] }
    /// Only an expression can have a secret.
    package var originPolicy: OriginPolicy { value.constantText == nil ? .content : .any }
}

extension ManifestDecoder {
    /// Reads one scalar or a list of them; `nil` for `null`.
    mutating func texts(_ node: YAMLNode) -> [ScalarTemplate]? {
        if let elements = node.sequence { return elements.compactMap { scalarTemplate($0) } }
        return nonNull(node).flatMap { scalarTemplate($0) }.map { [$0] }
    }
}

extension Settings {
    /// The settings without entries that unset a name, except those for header fields that requests have by default:
    /// they take effect when the request is sent.
    package var withoutRemovals: Settings {
        without { entry in
            let defaults = ["accept", "accept-encoding", "content-type", "priority", "traceparent", "user-agent"]
            if let field = entry.value as? HeaderSetting, defaults.contains(where: field.isNamed) { return false }
            return entry.value.isUnset
        }
    }
}

/// The settings of this file, looked up.
extension Settings {
    package var userAgent: Setting<UserAgentSetting.Value>? { self[UserAgentSetting.self] }
    package var headers: [Setting<HeaderSetting>] { all(HeaderSetting.self) }
}
