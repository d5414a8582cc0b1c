import WaybillDiagnostics

/// Why a pattern has no list of files.
struct GlobFailure: Error {
    let id: DiagnosticID
    let headline: String
    let help: [String]

    init(_ id: DiagnosticID, _ headline: String, help: [String] = []) {
        self.id = id
        self.headline = headline
        self.help = help
    }
}
