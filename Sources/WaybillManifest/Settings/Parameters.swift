// Parameters and bodies of requests: `query`, `params`, `encoding`, `arrays`, `body`.

package import WaybillDiagnostics
import WaybillExpressions

/// A query parameter (`query`).
package struct QuerySetting: ReadableSetting {
    package static let key = "query"
    /// The name of the parameter.
    package let name: Spanned<String>
    /// A value for each parameter to send; `nil` unsets the name.
    package let texts: [ScalarTemplate]?

    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder, _ add: (Self, YAMLNode) -> Void) {
        for (name, value) in decoder.constantNames(node) { add(Self(name: name, texts: decoder.texts(value)), value) }
    }

    package var merging: SettingMerging { .byName(name.value, isUnset: texts == nil) }

    package func visitUses(_ visitor: UseVisitor) {
        for text in texts ?? [] { visitor.scalar(text, .content, .query) }
    }

    package var originPolicy: OriginPolicy { .content }
}

/// A parameter in the query or in the body, as the method decides (`params`).
package struct ParameterSetting: ReadableSetting {
    package static let key = "params"
    /// The name of the parameter.
    package let name: Spanned<String>
    /// The value; `nil` unsets the name.
    package let value: ValueTemplate?

    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder, _ add: (Self, YAMLNode) -> Void) {
        for (name, value) in decoder.constantNames(node) {
            let template = decoder.nonNull(value).flatMap { decoder.valueTemplate($0) }
            add(Self(name: name, value: template), value)
        }
    }

    package var merging: SettingMerging { .byName(name.value, isUnset: value == nil) }
    package func visitUses(_ visitor: UseVisitor) { visitor.value(value, .content, .body) }
    package var originPolicy: OriginPolicy { .content }
}

/// How `params` are written into a body (`encoding`).
package enum ParameterEncoding: String, WordSetting, CaseIterable {
    package static let key = "encoding"
    /// The value if none is specified.
    package static let `default` = Self.form

    /// `application/x-www-form-urlencoded`
    case form
    /// `application/json`
    case json
    /// A property list in XML.
    case plist
}

/// How a list is written in a form or query (`arrays`).
package enum ArrayStyle: String, WordSetting, CaseIterable {
    package static let key = "arrays"
    /// The value if none is specified.
    package static let `default` = Self.brackets

    /// `a[]=1&a[]=2`
    case brackets
    /// `a=1&a=2`
    case `repeat`
    /// `a=1,2`
    case comma
}

/// The explicit body of a request: `body`. Its kinds are in `Bodies/`.
package struct BodySetting: ValueSetting {
    package static let key = "body"
    package let value: any RequestBody

    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder) -> (any RequestBody)? {
        RequestBodies.read(node, &decoder)
    }

    package func visitUses(_ visitor: UseVisitor) { value.visitUses(visitor) }

    package var originPolicy: OriginPolicy { .content }

    package var namedFiles: [NamedFile] {
        value.files.compactMap { path in
            path.constantText.map { NamedFile(path: Spanned($0, at: path.span), kind: .body) }
        }
    }

    package var fieldTexts: [ScalarTemplate] { value.headerTexts }
}

extension Setting<any SettingDefinition> {
    /// Whether it is a query field or parameter that reads `request`, and so is evaluated after those that do not.
    package var readsRequest: Bool {
        let templates =
            switch value {
            case let field as QuerySetting: (field.texts ?? []).compactMap(\.template)
            case let parameter as ParameterSetting: parameter.value?.templates ?? []
            default: [ManifestTemplate]()
            }
        return templates.contains { $0.references.contains { $0.root == .request } }
    }
}

/// The settings of this file, looked up.
extension Settings {
    package var encoding: Setting<ParameterEncoding>? { self[ParameterEncoding.self] }
    package var arrays: Setting<ArrayStyle>? { self[ArrayStyle.self] }
    package var body: Setting<BodySetting.Value>? { self[BodySetting.self] }
    package var query: [Setting<QuerySetting>] { all(QuerySetting.self) }
    package var params: [Setting<ParameterSetting>] { all(ParameterSetting.self) }
}
