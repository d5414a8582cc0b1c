import OrderedCollections
import WaybillDiagnostics
import WaybillManifest
package import WaybillPlan
import WaybillResults

/// A plan and what has to be known beside it to show it: which values come from the environment that was chosen, and
/// which texts are the values of secrets.
package struct PlanDescription: Sendable {
    /// The plan.
    package let plan: Plan
    /// How values are shown.
    let form: WrittenForm
    /// What the chosen environment says.
    let environment: EnvironmentPlaces

    package init(_ plan: Plan, of checked: ResolvedManifest, options: PlanOptions) {
        self.plan = plan
        form = WrittenForm(redactor: Redactor(secretsOf: checked, options: options))
        environment = EnvironmentPlaces(of: checked)
    }
}

/// Writes a plan in one format. Nothing is left out, however long the plan is.
package protocol PlanPrinter: Sendable {
    /// The whole document, ending in a line break.
    func document(for description: PlanDescription) -> String
}

extension Redactor {
    /// A redactor that knows the values that a manifest's secrets have now, those of the chosen environment included.
    convenience init(secretsOf checked: ResolvedManifest, options: PlanOptions) {
        self.init()
        var secrets = checked.written.secrets.values.map(\.value)
        secrets += checked.environmentChanges?.secrets.map(\.value) ?? []
        for secret in secrets {
            if let value = options.variables[secret.environmentVariable.value] { register(value) }
        }
    }
}

extension WrittenForm {
    /// Where a request goes, put together from its parts as far as they are known before anything is evaluated.
    func address(of request: RequestPlan) -> String {
        let written = text(request.address.text.value)
        guard case .path = request.address else { return written }
        var address = request.settings.baseURL.map { text($0.value) } ?? ""
        if let version = request.settings.version { address = Self.joined(address, text(version.value)) }
        return written.isEmpty ? address : written.hasPrefix("?") ? address + written : Self.joined(address, written)
    }

    private static func joined(_ base: String, _ rest: String) -> String {
        var base = Substring(base)
        while base.last == "/" { base.removeLast() }
        return base + "/" + rest.drop { $0 == "/" }
    }
}
