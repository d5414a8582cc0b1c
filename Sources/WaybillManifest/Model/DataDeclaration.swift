package import WaybillDiagnostics

/// Data that a manifest reads when its plan is built: an entry of `data`.
package enum DataDeclaration: Sendable {
    /// What a file says. Without a format its name's ending tells how it is read.
    case file(path: Spanned<String>, format: (any ReadableRecordFormat.Type)?)
    /// The files whose paths match a pattern.
    case glob(pattern: Spanned<String>)

    /// The path or the pattern.
    package var file: Spanned<String> {
        switch self {
        case .file(let path, _): path
        case .glob(let pattern): pattern
        }
    }
}
