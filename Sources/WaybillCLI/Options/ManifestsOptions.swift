import ArgumentParser
import OrderedCollections
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillPipeline
import WaybillPlan
import WaybillRuntime

/// Any number of manifests, their environment, and what they may access.
struct ManifestsOptions: ParsableArguments {
    @Argument(
        help: """
            The manifests, or folders of manifests; - reads standard input. Default: waybill.yaml.
            """,
        completion: .file(extensions: ["yaml", "yml"])
    )
    var manifests: [String] = []

    @Option(
        name: .customLong("env"),
        help: "The environment to apply to each manifest.",
        completion: .names(.environment)
    )
    var environment: String?

    @Flag(help: "Allow manifests to use files outside their folders and to write outside the results folder.")
    var allowOutside = false

    func validate() throws {
        if manifests.count(where: { $0 == "-" }) > 1 { throw ValidationError("Standard input can be read only once.") }
    }

    /// The paths from the command line, or that of the default manifest.
    var pathsOrUsual: [String] { manifests.isEmpty ? [ManifestFinder.usual] : manifests }

    /// Returns the paths of the manifests. If a folder contains none, or a YAML file in it cannot be read, reports that and
    /// throws the exit status.
    ///
    /// - Parameter namesOthers: Whether to name the YAML files in folders that are not manifests.
    func paths(_ output: Output, namesOthers: Bool = false) throws -> [String] {
        guard !manifests.isEmpty || ManifestFinder.hasUsual else {
            throw ValidationError(
                "Name a manifest or a folder of manifests; the current folder has no \(ManifestFinder.usual)."
            )
        }
        let found = ManifestFinder.manifests(at: pathsOrUsual)
        for path in namesOthers ? found.others : [] {
            output.writeError("'\(PrintableText.oneLine(path))' is not a manifest\n")
        }
        guard found.errors.isEmpty else {
            output.report(found.errors)
            throw found.errors.exitStatus
        }
        return found.manifests
    }
}

extension [LoadedManifest] {
    /// Returns the environment to apply to each of the manifests. If any of several defines it, it applies to those that do.
    func environments(_ name: String?, _ output: Output) -> [String?] {
        guard let name, count > 1, contains(where: { $0.mayDefine(environment: name) }) else {
            return map { _ in name }
        }
        return map { $0.environment(name, output) }
    }

    /// Returns the indices of the manifests without graphs that another one includes, unless the user named them. They are
    /// checked as parts of the other one, and need not be valid alone.
    func parts(besides named: [String]) -> Set<Int> {
        let manifests = map(\.manifest)
        func path(_ node: YAMLNode) -> CodePoints { CodePoints(FileContents.resolvedPath(node.file.name)) }
        let included = Set(manifests.flatMap { ($0?.documents ?? []).dropFirst().map(path) })
        guard !included.isEmpty else { return [] }
        return Set(
            manifests.indices.filter { index in
                guard let manifest = manifests[index], manifest.graphs.isEmpty else { return false }
                return included.contains(path(manifest.documents[0])) && !named.contains(manifest.file.name)
            }
        )
    }

    /// Adds to the options which inputs the manifests have, if there are several: each value is for those that have the input.
    func shareInputs(_ options: inout PlanOptions) {
        guard count > 1 else { return }
        // What the manifests with errors have is not known.
        let possible = options.inputNames.filter { name in
            contains { $0.manifest?.unknown.mayDefine(name, in: .inputs) ?? true }
        }
        options.suiteInputs = Set(compactMap(\.manifest).flatMap(\.inputNames) + possible)
    }
}

extension LoadedManifest {
    /// Whether the manifest defines an environment, as far as it could be read.
    fileprivate func mayDefine(environment name: String) -> Bool {
        guard let manifest else { return false }
        return manifest.environments[name] != nil || manifest.unknown.mayDefine(name, in: .environments)
    }

    /// Returns the environment of a suite if the manifest defines it; otherwise names the manifest on standard error, unless
    /// only others include it.
    func environment(_ name: String, _ output: Output) -> String? {
        guard let manifest, !mayDefine(environment: name) else { return name }
        if !manifest.graphs.isEmpty {
            let (file, name) = (PrintableText.oneLine(manifest.file.name), PrintableText.oneLine(name))
            output.writeError("'\(file)' has no environment '\(name)'; none is applied to it\n")
        }
        return nil
    }
}

extension Manifest {
    /// The names of the inputs of the manifest and of its graphs.
    var inputNames: Set<String> { Set(inputs.keys).union(graphs.values.flatMap { $0.value.inputs.keys }) }
}
