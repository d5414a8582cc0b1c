package import WaybillDiagnostics
package import WaybillManifest
package import WaybillPlan

/// The way of a manifest, stated once: text → spanned values → manifest → plan → run → results.
///
/// Each stage gives its value and what it found. A manifest with errors is checked by the rules all the same, as far as it
/// could be read, so that all findings come at once; a plan is made only without errors.
package struct Pipeline: Sendable {
    private let loader: ManifestLoader
    private let allowsOutside: Bool

    /// What a stage gives: a value exactly when there is no error among the findings.
    package struct Stage<Value: Sendable>: Sendable {
        /// The value.
        package let value: Value?
        /// Everything that was found, warnings included, in the order of the text.
        package let diagnostics: [Diagnostic]

        /// Drops the value if there is an error, whichever stage reported it.
        init(value: Value?, diagnostics: [Diagnostic]) {
            self.value = diagnostics.hasErrors ? nil : value
            self.diagnostics = diagnostics.sortedByPlace()
        }
    }

    /// A pipeline. Throws only if the program itself is damaged.
    package init(allowsOutside: Bool = false) throws {
        var loader = try ManifestLoader()
        loader.allowsOutside = allowsOutside
        self.loader = loader
        self.allowsOutside = allowsOutside
    }

    /// Reads a manifest and all that it includes, and checks it by every rule, and the inputs that are given for it.
    package func validate(_ path: String, options: PlanOptions = PlanOptions()) -> Stage<Manifest> {
        let (manifest, diagnostics) = loader.load(path)
        guard let manifest else { return Stage(value: nil, diagnostics: diagnostics) }
        let checked = PlanBuilder.check(manifest, environment: options.environment, allowsOutside: allowsOutside)
        var all = diagnostics + checked.diagnostics
        if !all.hasErrors { all += PlanBuilder.checkInputs(of: checked.manifest, options: options) }
        return Stage(value: checked.manifest, diagnostics: all)
    }

    /// A manifest as it was written, checked by every rule with an environment laid over it.
    func manifest(_ path: String, environment: String?) -> Stage<Manifest> {
        checked(loader.load(path), environment: environment)
    }

    /// The same of a text that is not saved yet; what it includes is looked for from the path that is its name.
    func manifest(_ file: SourceFile, environment: String?) -> Stage<Manifest> {
        checked(loader.load(file), environment: environment)
    }

    private func checked(
        _ loaded: (manifest: Manifest?, diagnostics: [Diagnostic]),
        environment: String?
    ) -> Stage<Manifest> {
        guard let manifest = loaded.manifest else {
            return Stage(value: nil, diagnostics: loaded.diagnostics)
        }
        let found = PlanBuilder.check(manifest, environment: environment, allowsOutside: allowsOutside).diagnostics
        return Stage(value: manifest, diagnostics: loaded.diagnostics + found)
    }

    /// The plan of what was asked for, with what has to be known beside it to show it.
    package func describedPlan(_ path: String, options: PlanOptions) -> Stage<PlanDescription> {
        let (manifest, diagnostics) = loader.load(path)
        guard let manifest else { return Stage(value: nil, diagnostics: diagnostics) }
        var options = options
        options.allowsOutside = allowsOutside
        let (plan, findings) = PlanBuilder.plan(manifest, options: options)
        let description = plan.map { PlanDescription($0, of: manifest, options: options) }
        return Stage(value: description, diagnostics: diagnostics + findings)
    }

    /// The plan of one call of an endpoint.
    package func callPlan(_ path: String, endpoint: String, options: PlanOptions) -> Stage<Plan> {
        let (manifest, diagnostics) = loader.load(path)
        guard let manifest else { return Stage(value: nil, diagnostics: diagnostics) }
        var options = options
        options.allowsOutside = allowsOutside
        let (plan, findings) = PlanBuilder.callPlan(manifest, endpoint: endpoint, options: options)
        return Stage(value: plan, diagnostics: (diagnostics + findings).withoutNotSupported)
    }

    /// Where everything that an endpoint sends and does comes from.
    package func explanation(
        of endpoint: String,
        in path: String,
        options: PlanOptions
    ) -> Stage<EndpointExplanation> {
        let (manifest, diagnostics) = loader.load(path)
        guard let manifest else { return Stage(value: nil, diagnostics: diagnostics) }
        let checked = PlanBuilder.check(manifest, environment: options.environment, allowsOutside: allowsOutside)
        let all = diagnostics + checked.diagnostics
        guard !all.hasErrors else { return Stage(value: nil, diagnostics: all) }
        let (cascade, findings) = PlanBuilder.endpoint(
            named: endpoint,
            in: checked,
            of: manifest,
            environment: options.environment
        )
        let explanation = cascade.map { EndpointExplanation($0, of: manifest, options: options) }
        return Stage(value: explanation, diagnostics: all + findings)
    }

    /// The plan of what was asked for.
    package func plan(_ path: String, options: PlanOptions) -> Stage<Plan> {
        let (manifest, diagnostics) = loader.load(path)
        guard let manifest else { return Stage(value: nil, diagnostics: diagnostics) }
        var options = options
        options.allowsOutside = allowsOutside
        let (plan, findings) = PlanBuilder.plan(manifest, options: options)
        return Stage(value: plan, diagnostics: (diagnostics + findings).withoutNotSupported)
    }
}

extension [Diagnostic] {
    /// The findings without the warnings about what cannot be run: a run reports those parts that it would use as errors.
    fileprivate var withoutNotSupported: [Diagnostic] {
        filter { $0.id != "not-supported" }
    }
}
