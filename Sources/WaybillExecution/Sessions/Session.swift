import WaybillData

/// What the requests of a service share: the outputs of the request that `session` names.
struct Session: Sendable {
    /// The service.
    var service: String
    /// The named values.
    var outputs: [String: ScopeValue]
    /// How often one has been fetched in this run, to tell a session that was refused from one that came since.
    var generation: Int
}
