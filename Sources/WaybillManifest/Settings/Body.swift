// The explicit body of a request: `body`.

import WaybillDiagnostics

extension BodyDefinition: WholeSetting {
    static let key = SettingName.body

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let body = decoder.body(node) else { return nil }
        self = body
    }

    var originPolicy: OriginPolicy { .content }

    var namedFiles: [NamedFile] {
        switch self {
        case .file(let path): NamedFile(body: path).map { [$0] } ?? []
        case .multipart(let parts): parts.compactMap(\.namedFile)
        case .json, .form, .plist, .text, .base64, .graphql: []
        }
    }

    var fieldTexts: [ScalarTemplate] {
        switch self {
        case .multipart(let parts):
            parts.flatMap { part in [part.contentType].compactMap { $0 } + part.headers.map(\.value) }
        case .json, .form, .plist, .text, .base64, .file, .graphql: []
        }
    }
}

extension BodyDefinition.Part {
    fileprivate var namedFile: NamedFile? {
        switch content {
        case .file(let path): NamedFile(body: path)
        case .value, .text, .base64, .json: nil
        }
    }
}

extension NamedFile {
    /// A file that is sent, if its path is a constant.
    fileprivate init?(body path: ScalarTemplate) {
        guard let text = path.constantText else { return nil }
        self.init(path: Spanned(text, at: path.span), sort: .body)
    }
}

extension Settings {
    /// An explicit body.
    package var body: Setting<BodyDefinition>? { last(BodyDefinition.self) }
}
