import WaybillJSON

extension RunEvent {
    /// A response of an operation of an OpenAPI document.
    public struct CoveredResponse: Sendable, Hashable {
        /// The name of the service.
        public var service: String
        /// The method and the path of the operation, as the document has it: `GET /orders/{id}`.
        public var operation: String
        /// The status as the document declares it, such as `200`, `4XX` or `default`, or the one that was received without
        /// being declared.
        public var status: String
        /// The media type as the document declares it, or the one that was received; `nil` for a response without a body.
        public var mediaType: RedactedText?
        /// Whether the document declares the response.
        public var isDeclared: Bool

        /// Creates a response; see the properties.
        public init(
            service: String,
            operation: String,
            status: String,
            mediaType: RedactedText?,
            isDeclared: Bool = true
        ) {
            self.service = service
            self.operation = operation
            self.status = status
            self.mediaType = mediaType
            self.isDeclared = isDeclared
        }

        private var identity: CodePoints {
            CodePoints("\(service)\n\(operation)\n\(status)\n\(mediaType?.string ?? "")\n\(isDeclared)")
        }

        /// Compares the code points of the texts.
        public static func == (left: CoveredResponse, right: CoveredResponse) -> Bool {
            left.identity == right.identity
        }

        /// Feeds the texts to a hasher.
        public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
    }
}
