import WaybillExpressions

/// What the requests of a service share: the outputs of the request that `session` names.
struct Session: Sendable {
    /// The service.
    let service: String
    /// What was fetched.
    let held: SharedValues<String, [String: ScopeValue]>.Held

    /// The named values.
    var outputs: [String: ScopeValue] { held.value }
}
