import OrderedCollections
import WaybillDiagnostics
import WaybillFormats
package import WaybillJSON
import WaybillManifest
package import WaybillPlan
import WaybillResults

/// The stored states of a manifest's graphs, which can be shown and changed between runs.
package struct StoredState: Sendable {
    /// A value of a state.
    package struct Entry: Sendable {
        /// The graph.
        package var graph: String
        /// The name of the value.
        package var name: String
        /// The value that the next run starts from.
        package var value: JSON
        /// The run that stored it, and when; `nil` if it is the default value or was set by hand.
        package var origin: String?
        /// Whether it is stored.
        package var isStored: Bool
    }

    /// The file.
    package var path: String { location.path }

    private let location: StateLocation
    private let definitions: [(graph: String, state: StateDefinition)]

    /// Creates the states of a manifest.
    ///
    /// - Parameter file: The file; `nil` for one in `waybill-results/state`.
    package init(of checked: ResolvedManifest, file: String?) {
        let manifest = checked.manifest
        location = StateLocation(
            name: manifest.hasName ? manifest.name : nil,
            file: manifest.file.name,
            environment: checked.environment,
            given: file
        )
        definitions = manifest.graphs.values.flatMap { graph in
            graph.value.state.map { (graph.name.value, $0) }
        }
    }

    /// Returns all values, in the order of the manifest.
    package func entries() throws(RunError) -> [Entry] {
        let content = try RunError.mapping(to: .unusableState) { try StateFile.read(path) }
        try location.check(content)
        let origin = content.run.map { run in content.savedAt.map { "\(run), \($0)" } ?? "\(run)" }
        return definitions.map { graph, definition in
            let stored = content.graphs[graph]?[definition.name]
            return Entry(
                graph: graph,
                name: definition.name,
                value: stored ?? definition.defaultValue,
                origin: stored == nil ? nil : origin,
                isStored: stored != nil
            )
        }
    }

    /// Stores a value.
    ///
    /// - Parameters:
    ///   - name: The name, or `GRAPH.NAME`.
    ///   - text: A string if the default value is one, otherwise JSON.
    package func set(_ name: String, to text: String) throws(RunError) {
        let (graph, definition) = try definition(of: name)
        let isText = definition.defaultValue.string != nil
        guard let value = isText ? .string(text) : try? JSONParser().parse(Array(text.utf8)) else {
            let help = "The default is not a string, so the value must be JSON; a string needs quotes: '\"text\"'."
            throw invalid("'\(text)' is not JSON", help)
        }
        try change { $0[graph, default: JSONObject()][definition.name] = value }
    }

    /// Removes a stored value, or all of them, so that the next run starts from the default values.
    package func clear(_ name: String?) throws(RunError) {
        guard let name else { return try change { $0 = [:] } }
        let (graph, definition) = try definition(of: name)
        try change { $0[graph]?[definition.name] = nil }
    }

    private func definition(of name: String) throws(RunError) -> (graph: String, state: StateDefinition) {
        let found = definitions.filter { $0.state.name == name || "\($0.graph).\($0.state.name)" == name }
        if found.count == 1 { return found[0] }
        let names = definitions.map { "\($0.graph).\($0.state.name)" }
        guard found.isEmpty else {
            let own = found.map { "\($0.graph).\($0.state.name)" }.joined(separator: ", ")
            throw invalid("several graphs have a state '\(name)'", "Name one of them: \(own).")
        }
        let nearest = NearestName.of(name, among: names + definitions.map(\.state.name))
        throw invalid(
            "no state is named '\(name)'",
            nearest.map { "Did you mean '\($0)'?" }
                ?? (names.isEmpty
                    ? "No graph of the manifest has a 'state'." : "The states are \(names.joined(separator: ", ")).")
        )
    }

    private func invalid(_ message: String, _ help: String) -> RunError {
        RunError(.unusableState, message, [Diagnostic("unknown-state", message, at: nil, help: [help])])
    }

    private func change(_ body: (inout [String: JSONObject]) -> Void) throws(RunError) {
        try RunError.mapping(to: .unusableState) {
            let file = try StateFile(path)
            var content = file.content
            try location.check(content)
            body(&content.graphs)
            (content.run, content.savedAt, content.manifest) = (nil, .now(), location.manifest)
            try file.store(content)
        }
    }
}
