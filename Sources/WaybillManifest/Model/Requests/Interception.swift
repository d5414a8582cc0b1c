package import WaybillDiagnostics

/// What is done before and after success and failure of a request.
package struct Interception: Sendable {
    /// The four moments.
    package enum Moment: String, Sendable, CaseIterable {
        case beforeSuccess, afterSuccess, beforeFailure, afterFailure
    }

    /// One thing that is done.
    package struct Action: Sendable {
        /// What is done.
        package enum Work: Sendable {
            /// A line is told.
            case log(ScalarTemplate)
            /// A success becomes a failure.
            case fail(ScalarTemplate)
            /// A failure becomes a success with this data.
            case recover(ValueTemplate)
        }

        /// What is done.
        package var work: Work
        /// The condition for it.
        package var when: ManifestExpression?
        /// Where it stands.
        package var span: SourceSpan
    }

    /// What is done at each moment, in order.
    package var actions: [Moment: [Action]] = [:]
}

/// Texts of one's own for sorts of failure.
package enum MessageOption: Sendable {
    /// The names under `messages`.
    package enum Name: String, Sendable, CaseIterable {
        case general, duplicate, unreachable, showCode
    }

    /// A text.
    case text(String)
    /// Whether codes are shown.
    case showCode(Bool)
}
