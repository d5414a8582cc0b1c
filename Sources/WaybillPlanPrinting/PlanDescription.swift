import OrderedCollections
import WaybillDiagnostics
import WaybillManifest
package import WaybillPlan
import WaybillResults

/// A plan and the information needed to show it: which values come from the selected environment, and which strings are
/// the values of secrets.
///
/// It is written in each format as a whole document that ends with a line break. Nothing is omitted, however long the
/// plan is.
package struct PlanDescription: Sendable {
    package let plan: Plan
    private let redactor: Redactor
    /// The locations of values from the selected environment.
    let environment: EnvironmentLocations

    /// Creates a description of a plan for one or more documents.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - checked: The manifest that the plan was made from.
    ///   - options: The options that the plan was made with; their environment variables contain the values of secrets.
    package init(_ plan: Plan, of checked: ResolvedManifest, options: PlanOptions) {
        self.plan = plan
        redactor = Redactor(secretsOf: checked, options: options)
        environment = EnvironmentLocations(of: checked)
    }
}

extension PlanDescription {
    /// The name of the manifest, with secrets masked.
    var name: String { redactor.redact(CredentialMask.userInformation(in: plan.name)) }

    /// The values of the plan, with secrets masked. Reads the sources again: call it once for each document.
    func makeValues() -> PlanValues { PlanValues(plan.documents, redactor: redactor) }
}

extension Redactor {
    /// Creates a redactor that knows the current values of a manifest's secrets, including those of the selected
    /// environment.
    convenience init(secretsOf checked: ResolvedManifest, options: PlanOptions) {
        self.init()
        var secrets = checked.written.secrets.values.map(\.value)
        secrets += checked.environmentChanges?.secrets.map(\.value) ?? []
        for secret in secrets {
            if let value = secret.variable.flatMap({ options.variables[$0] }) { register(value) }
        }
    }
}
