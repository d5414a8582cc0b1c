import OrderedCollections
import WaybillContract
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillPipeline
import WaybillPlan

/// Completes words of a command line with the names in the manifests that it names.
///
/// It only reads manifests and what they include. A manifest with errors has the names of the parts that could be
/// decoded. Nothing is reported, sent or evaluated: what cannot be read has no names.
package struct ManifestCompletions: Sendable {
    /// What a word names.
    package enum Kind: Sendable {
        case graph, environment, step, tag, endpoint
        /// The value of a graph's state: NAME, or GRAPH.NAME.
        case state
        /// NAME=VALUE for an input of a manifest.
        case input
        /// NAME=VALUE for an input of the endpoint that the second argument names, or of its manifest.
        case endpointInput
    }

    /// The maximum number of manifests in folders that are read: completion must not take long.
    private static let maximumManifests = 100

    private let words: CommandWords
    private let pipeline: Pipeline
    private let loaded: [LoadedManifest]

    /// Reads the manifests that a command line names.
    package init(_ words: CommandWords) {
        self.words = words
        let paths = ManifestFinder.manifests(at: words.manifestPaths).manifests.prefix(Self.maximumManifests)
        let pipeline = Pipeline(allowsOutside: words.has("--allow-outside"))
        self.pipeline = pipeline
        loaded = paths.map { pipeline.load($0) }
    }

    /// Returns the words that start with the prefix of the completed word.
    package func candidates(for kind: Kind) -> [String] {
        Candidates.matching(words.prefix, in: loaded.flatMap { all(kind, in: $0) })
    }

    private func all(_ kind: Kind, in loaded: LoadedManifest) -> [String] {
        guard let manifest = loaded.manifest else { return [] }
        switch kind {
        case .graph: return Array(manifest.graphs.keys)
        case .environment: return Array(manifest.environments.keys)
        case .endpoint: return Array(manifest.endpoints.keys) + operations(of: loaded)
        case .tag: return manifest.tags
        case .step:
            return manifest.graphs.filter { isSelected($0.key) }
                .flatMap { $0.value.value.body.allSteps.compactMap(\.effectiveID) }
        case .state:
            return manifest.graphs.flatMap { $0.value.value.state.map(\.name) }
                + manifest.graphs.flatMap { graph in graph.value.value.state.map { "\(graph.key).\($0.name)" } }
        case .input: return inputs(manifest.inputs)
        case .endpointInput:
            // The endpoint's inputs replace those of the manifest with the same names.
            let own = words.arguments.dropFirst().first.flatMap { endpoint($0, of: loaded)?.inputs } ?? [:]
            return inputs(own.merging(manifest.inputs) { own, _ in own })
        }
    }

    /// The names of the operations of the OpenAPI documents that the services of a manifest name.
    private func operations(of loaded: LoadedManifest) -> [String] {
        guard loaded.manifest?.hasContracts == true else { return [] }
        return (pipeline.contracts(loaded).checked?.contracts ?? [:]).flatMap { service, contract in
            contract.document.names.map { "\(service).\($0)" }
        }
    }

    /// Returns the endpoint or operation with a name.
    private func endpoint(_ name: String, of loaded: LoadedManifest) -> Endpoint? {
        if let endpoint = loaded.manifest?.endpoints[name] { return endpoint.value }
        guard loaded.manifest?.hasContracts == true else { return nil }
        return pipeline.contracts(loaded, operations: .named(name)).checked?.manifest.endpoints[name]?.value
    }

    /// Whether a graph is one of those that the command line selects, or it selects none.
    private func isSelected(_ graph: String) -> Bool {
        let selected = words.values(of: "--graph")
        return selected.isEmpty || selected.contains(graph)
    }

    /// Returns `NAME=` for each input, or `NAME=VALUE` for each value of the input that the prefix names.
    private func inputs(_ inputs: Definitions<InputDeclaration>) -> [String] {
        guard let equals = words.prefix.firstIndex(of: "=") else { return inputs.keys.map { "\($0)=" } }
        let name = String(words.prefix[..<equals])
        return inputs[name]?.value.values.map { "\(name)=\($0)" } ?? []
    }
}

extension Manifest {
    /// Whether a service names an OpenAPI document.
    fileprivate var hasContracts: Bool { services.values.contains { $0.value.contract != nil } }
}

extension InputDeclaration {
    /// The values that its schema lists, as they are written on a command line.
    fileprivate var values: [String] {
        if let values = document["enum"]?.array { return values.map { $0.string ?? JSONWriter().string($0) } }
        return types.contains("boolean") ? ["true", "false"] : []
    }
}

extension Group {
    /// The steps, each before those inside it.
    fileprivate var allSteps: [Step] {
        steps.flatMap { step in
            guard case .group(let group) = step.action else { return [step] }
            return [step] + group.allSteps
        }
    }
}
