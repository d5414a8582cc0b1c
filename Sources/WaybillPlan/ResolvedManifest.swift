package import OrderedCollections
package import WaybillDiagnostics
package import WaybillJSON
package import WaybillManifest
import WaybillRuntime

/// A manifest with its environment applied, its data files read, its names resolved and every rule run.
///
/// If one of the diagnostics is an error, there is no plan. Services, cascades and calls are resolved once, for both
/// the rules and the plans.
package struct ResolvedManifest: Sendable {
    /// The manifest with the environment applied.
    package let manifest: Manifest
    /// The manifest as it was written.
    package let written: Manifest
    /// The name of the environment that was applied.
    package let environment: String?
    /// The values of its data files, by name.
    package let data: JSONObject
    /// The OpenAPI documents, by the names of the services.
    package let contracts: OrderedDictionary<String, Contract>
    /// Whether files may be outside the folder of the manifest.
    package let allowsOutside: Bool
    /// The paths of the files that were read for it.
    package var readFiles: [String] = []
    /// The paths of the files that expressions read, if they are constant, and of those that match the patterns of its data.
    package let filesOfExpressions: [String]
    /// The diagnostics of the environment, the data files and the rules, in source order.
    package let diagnostics: [Diagnostic]
    /// The graphs with their steps and callees, in the order of `manifest.graphs`.
    let graphs: [GraphSite]
    /// Every request with its service and the levels of its cascade.
    let requests: RequestList
    /// The namespaces to which the prefixes in expressions of XPath are bound.
    let namespaces: [String: String]
    /// The names of the filters that expressions apply to values.
    let appliedFilters: Set<String>

    package var environmentChanges: Environment? { environment.flatMap { written.environments[$0]?.value } }
    /// Whether it only has definitions for other manifests.
    package var hasNoGraphs: Bool { manifest.graphs.isEmpty }
}

extension PlanBuilder {
    /// Applies an environment to a manifest, reads its data files and OpenAPI documents, and runs every rule. What errors in
    /// the text of the manifest leave unknown is not checked.
    ///
    /// - Parameters:
    ///   - operations: The operations of the documents that can be called.
    ///   - checksContracts: Whether all operations of the documents are checked, not only those that can be called.
    package static func check(
        _ written: Manifest,
        environment: String? = nil,
        files: any ManifestFileSystem = LocalFiles(),
        allowsOutside: Bool = false,
        operations: BoundOperations = .called,
        checksContracts: Bool = false
    ) -> ResolvedManifest {
        NearestName.limited {
            let (unbound, problems) = apply(environment, to: written)
            let binding = OperationBinding(
                unbound,
                operations,
                files: files,
                allowsOutside: allowsOutside,
                wholly: checksContracts
            )
            let manifest = binding.manifest
            var diagnostics = problems + binding.diagnostics
            // The names in the other environments must exist, too.
            for (name, other) in written.environments where name != environment {
                diagnostics += written.applying(other.value).diagnostics
            }
            let (data, unreadable) = readData(of: manifest, from: files, allowsOutside: allowsOutside)
            diagnostics += unreadable
            let folder = FileContents.folder(of: manifest.file.name)
            let subject = RuleSubject(manifest, data: data, allowsOutside: allowsOutside)
            diagnostics += allRules.flatMap { $0.check(subject) }
            if manifest.unknown.isEmpty, !diagnostics.hasErrors {
                diagnostics += rulesOfSoundManifests.flatMap { $0.check(subject) }
            }
            if !manifest.unknown.isEmpty {
                diagnostics.removeAll { $0.primary.map { manifest.unknown.explain($0.span) } ?? false }
            }
            return ResolvedManifest(
                manifest: manifest,
                written: written,
                environment: environment,
                data: data,
                contracts: binding.contracts,
                allowsOutside: allowsOutside,
                filesOfExpressions: subject.references.files.map { FileContents.path($0, in: folder) }
                    + manifest.data.flatMap { filesOfPattern($0.value.value, data[$0.key]) },
                diagnostics: diagnostics.withoutRepetitions().sortedByLocation(),
                graphs: subject.graphs,
                requests: subject.requests,
                namespaces: subject.namespaces,
                appliedFilters: Set(subject.references.appliedFilters.map(\.value))
            )
        }
    }

    /// The paths of the files that match a pattern, whose data are their names.
    private static func filesOfPattern(_ declaration: DataDeclaration, _ data: JSON?) -> [String] {
        guard case .glob(let pattern) = declaration else { return [] }
        let folder = FileContents.folder(of: pattern.span.file.name)
        return (data?.array ?? []).compactMap { $0["path"]?.string }.map { FileContents.path($0, in: folder) }
    }

    private static func apply(
        _ name: String?,
        to manifest: Manifest
    ) -> (manifest: Manifest, diagnostics: [Diagnostic]) {
        guard let name else { return (manifest, []) }
        if let environment = manifest.environments[name]?.value { return manifest.applying(environment) }
        if manifest.unknown.mayDefine(name, in: .environments) { return (manifest, []) }
        return (manifest, [.unknown("environment", name, in: manifest, among: manifest.environments.keys)])
    }

    private static func readData(
        of manifest: Manifest,
        from files: any ManifestFileSystem,
        allowsOutside: Bool
    ) -> (data: JSONObject, diagnostics: [Diagnostic]) {
        let folder = FileContents.folder(of: manifest.file.name)
        let reader = DataReader(folder: folder, allowsOutside: allowsOutside, from: files)
        var data = JSONObject()
        var diagnostics: [Diagnostic] = []
        for (name, declaration) in manifest.data where !manifest.unknown.isDefined(name, in: .data) {
            let (value, found) = reader.read(declaration.value)
            diagnostics += found
            data[name] = value
        }
        return (data, diagnostics)
    }
}
