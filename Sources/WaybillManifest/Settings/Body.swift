import WaybillDiagnostics

/// The explicit body of a request: `body`. Its kinds are in `Bodies/`.
package struct BodySetting: WholeSetting {
    package static let key = "body"

    /// The body.
    package let body: any RequestBody

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let body = RequestBodies.read(node, &decoder) else { return nil }
        self.body = body
    }

    package func visitUses(_ visitor: UseVisitor) { body.visitUses(visitor) }

    package var originPolicy: OriginPolicy { .content }

    package var namedFiles: [NamedFile] {
        body.files.compactMap { path in
            path.constantText.map { NamedFile(path: Spanned($0, at: path.span), kind: .body) }
        }
    }

    package var fieldTexts: [ScalarTemplate] { body.headerTexts }
}

extension Settings {
    /// The explicit body.
    package var body: Setting<any RequestBody>? { last(BodySetting.self)?.map(\.body) }
}
