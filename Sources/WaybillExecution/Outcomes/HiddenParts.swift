import WaybillExpressions
import WaybillResults
import WaybillTransport

/// The parts of a response that may contain secret outputs that could not be evaluated.
struct HiddenParts: OptionSet, Sendable {
    let rawValue: Int

    static let body = Self(rawValue: 1)
    /// The values of header fields, and the addresses of redirects.
    static let fields = Self(rawValue: 2)
}

extension AttemptOutcome {
    /// Hides parts of the response: they are neither shown nor kept, and secret for what reads the results of the step.
    mutating func hide(_ parts: HiddenParts) {
        self.hidden.formUnion(parts)
        if parts.contains(.body) {
            self.body?.isSecret = true
            self.scope.data?.isSecret = true
            self.scope.body?.isSecret = true
        }
        if parts.contains(.fields) { self.scope.response?.hideFields() }
    }
}

extension HTTPResponse {
    /// Hides the values that may contain unknown secrets: of header fields, but for those that have none, and the addresses of
    /// redirects.
    fileprivate mutating func hideFields() {
        headers = HTTPFields(
            headers.list.map { field in
                ["Retry-After", "Content-Type", "Content-Length", "Date"].contains(where: field.isNamed)
                    ? field : HTTPField(name: field.name, value: Redactor.mask)
            }
        )
        for index in redirects.indices { redirects[index].to = Redactor.mask }
    }
}
