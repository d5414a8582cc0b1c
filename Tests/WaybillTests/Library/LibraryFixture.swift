import Testing
import Waybill
import WaybillTestSupport

/// A manifest in its own folder, used through the public API.
struct LibraryFixture {
    let folder = TemporaryFolder()
    let path: String

    /// Writes a manifest, and adds the line with the version.
    init(_ text: String) {
        path = folder.write("waybill: 1\n\(text)\n", to: "manifest.yaml")
    }

    /// The folder for the results.
    var results: String { "\(folder.path)/results" }

    /// The plan of the main graph.
    func plan(inputs: [String: JSONValue] = [:], variables: [String: String] = [:]) throws -> RunPlan {
        try Manifest(contentsOf: path).plan(inputs: inputs, variables: variables)
    }

    /// The diagnostics of the error that the body throws.
    func diagnostics(_ body: (String) throws -> Void) throws -> [ManifestDiagnostic] {
        try #require(#expect(throws: ManifestError.self) { try body(path) }).diagnostics
    }

    /// A shop whose responses are examples.
    static let shop = """
        inputs: {username: {type: string, default: demo}}
        services: {shop: {baseURL: "http://127.0.0.1:1/api"}}
        endpoints:
          account: {service: shop, path: /account, outputs: {id: $.id}, mock: {body: {id: 7, name: demo}}}
          orders:
            service: shop
            path: "/accounts/${inputs.account}/orders"
            inputs: {account: integer}
            outputs: {totals: "$[*].total"}
            mock: {body: [{total: 12.50}, {total: 3}]}
        graphs:
          main:
            chain:
              - call: account
              - {call: orders, with: {account: "${steps.account.outputs.id}"}}
            outputs: {user: inputs.username, account: steps.account.outputs.id, totals: steps.orders.outputs.totals}
        """
}

extension ManifestRun {
    /// All events that have not been read yet.
    func events() async throws -> [Event] {
        var events: [Event] = []
        for try await event in self { events.append(event) }
        return events
    }
}

extension [ManifestRun.Event] {
    /// The types of events about steps, graphs and the run, with the paths of their steps.
    var story: [String] {
        compactMap { event in
            switch event.kind {
            case .runStarted, .runFinished, .graphStarted, .graphFinished, .stepStarted, .stepSkipped, .stepFinished,
                .paused, .unpaused:
                event.step.map { "\(event.type) \($0)" } ?? event.type
            default: nil
            }
        }
    }
}
