import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
package import WaybillManifest
package import WaybillPlan
import WaybillResults
package import WaybillTransport

/// A request as a run would send it, built without one. Values that only a run has are marks of `ValuePlaceholders`.
package struct RequestPreview: Sendable {
    /// The request.
    package let request: HTTPRequest
    /// How it is signed; nil if it is not: region and service, then access key, secret key and session token.
    package let signature: (scope: String, credentials: [String])?
    /// Whether a token is requested first (OAuth 2.0).
    package let needsToken: Bool
    /// The path of the netrc file with its credentials.
    package let netrc: String?
}

extension Executor {
    /// Builds the request of a step, whose inputs have constant values as far as possible.
    ///
    /// - Throws: Why the request cannot be built.
    package func preview(of plan: RequestPlan, in graph: GraphPlan) throws(EvaluationFailure) -> RequestPreview {
        let run = RunContext(self, id: RunID(), startedAt: .now())
        let context = StepContext(graph, in: run)
        let environment = AttemptEnvironment(run: run, instance: graph.path, deadline: nil)
        var scope = RequestScope(context: context, environment: environment)
        for argument in plan.arguments {
            switch argument.source {
            case .constant(let constant): scope.arguments[argument.name] = ScopeValue(constant)
            case .template(let template):
                scope.arguments[argument.name] = try template.checkedValue(in: scope.scope(.graph(plan.graph)))
            case .omitted: continue
            }
        }
        for variable in plan.vars {
            scope.vars[variable.name.value] = try variable.value.checkedValue(in: scope.scope(variable.level))
        }
        var builder = RequestBuilder(plan, in: scope)
        let request = try builder.build()
        return RequestPreview(
            request: request,
            signature: builder.signer.map { signer in
                (
                    "\(signer.region):\(signer.service)",
                    [signer.accessKey, signer.secretKey] + [signer.sessionToken].compactMap(\.self)
                )
            },
            needsToken: builder.grant != nil,
            netrc: (plan.settings.auth?.value.method as? NetrcAuthentication)?.path.value
        )
    }
}
