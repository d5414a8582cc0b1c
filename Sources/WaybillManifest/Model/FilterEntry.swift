package import WaybillData
package import WaybillDiagnostics

/// One entry of a list of filters: a named filter, or a stage written in place.
package enum FilterEntry: Sendable {
    /// A filter by its name.
    case named(Spanned<String>)
    /// A stage.
    case stage(FilterStage)
}

/// One thing that a filter does to the data of an answer.
package enum FilterStage: Sendable {
    /// A condition on the data; the server's code and message are taken from it where it does not hold.
    case require(that: ManifestExpression, code: ManifestExpression?, message: ManifestExpression?)
    /// Replaces the data by the value of an expression, or by a default where nothing matches.
    case select(ManifestExpression, default: ValueTemplate?)
    /// Checks the code of an envelope and replaces the envelope by its content.
    case envelope(Envelope)

    /// What an envelope looks like.
    package struct Envelope: Sendable {
        /// Where the code is.
        package var code: ManifestExpression
        /// The codes of success; numeric strings compare as numbers.
        package var ok: [JSON]
        /// Where the server's message is.
        package var message: ManifestExpression?
        /// Where the content is; the envelope itself when nothing is said.
        package var data: ManifestExpression?
    }

    /// The expressions of the stage.
    package var expressions: [ManifestExpression] {
        switch self {
        case .require(let that, let code, let message): [that] + [code, message].compactMap { $0 }
        case .select(let path, _): [path]
        case .envelope(let envelope): [envelope.code] + [envelope.message, envelope.data].compactMap { $0 }
        }
    }
}
