import WaybillResults

extension Run {
    /// Why a step failed.
    public struct StepFailure: Error, Sendable, Equatable {
        let failure: WaybillResults.Failure

        /// The stage that failed.
        public var kind: FailureKind { failure.kind }

        /// The server's code for the failure: the status, or the code in the response's envelope. A number is in
        /// decimal digits.
        public var code: String? { failure.code?.text.string }

        /// What went wrong, in one sentence without a full stop, with secrets masked.
        public var message: String { failure.message.string }

        /// The location in the manifest that the failure belongs to.
        public var location: SourceLocation? { failure.span.map(SourceLocation.init) }

        /// Every error, for a stage that can find several, such as the expectations of a response; otherwise empty.
        public var details: [Detail] { failure.details.map(Detail.init) }

        /// One of several errors.
        public struct Detail: Sendable, Equatable {
            let detail: WaybillResults.Failure.Detail

            /// What is wrong, in one sentence without a full stop, with secrets masked.
            public var message: String { detail.message.string }

            /// The location in the manifest of the requirement that was not met.
            public var location: SourceLocation? { detail.span.map(SourceLocation.init) }
        }
    }
}

extension Run.StepFailure: CustomStringConvertible {
    /// `accounts.yaml:12:5: expect: the first order is worth nothing`
    public var description: String { "\(location.map { "\($0): " } ?? "")\(kind.rawValue): \(message)" }
}
