import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest

/// A constant with slashes that a path puts into one segment, where each slash is encoded as `%2F`.
struct EncodedSlashes: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        for endpoint in subject.manifest.endpoints.values {
            for part in endpoint.value.request.address.inputsInPath {
                let own = endpoint.value.inputs[part.input]
                let declared = own ?? subject.manifest.inputs[part.input]
                guard let declared, let value = declared.value.defaultValue?.string else { continue }
                diagnostics += finding(value, at: declared.value.span, in: part)
            }
        }
        subject.forEachStep { site in
            switch site.step.action {
            case .request(let definition):
                for part in definition.address.inputsInPath {
                    let declared = site.graph.value.inputs[part.input] ?? subject.manifest.inputs[part.input]
                    guard let declared, let value = declared.value.defaultValue?.string else { continue }
                    diagnostics += finding(value, at: declared.value.span, in: part)
                }
            case .call(let call):
                for part in site.endpoint?.request.address.inputsInPath ?? [] {
                    guard let given = call.arguments.first(where: { $0.name.value == part.input }),
                        let value = given.value.constant?.string
                    else { continue }
                    diagnostics += finding(value, at: given.value.span, in: part)
                }
            case .graph, .group, .values, .end: return
            }
        }
        var seen: Set<SourceSpan> = []
        return diagnostics.filter { $0.primary.map { seen.insert($0.span).inserted } ?? true }
    }

    private func finding(_ value: String, at place: SourceSpan, in part: InputInPath) -> [Diagnostic] {
        // A path may begin with a whole URL, which is not encoded.
        guard value.contains("/"), !(part.isFirst && value.lowercased().hasPrefix("http")) else { return [] }
        return [
            Diagnostic(
                "encoded-slash",
                "each '/' of the value is sent as %2F, because ${…} in a path is one segment",
                severity: .warning,
                at: part.span,
                secondary: [.init(place, "the value")],
                help: ["Write ${raw(inputs.\(part.input))} to send the slashes as they are."]
            )
        ]
    }
}

/// A `${inputs.NAME}` in the path of an address.
private struct InputInPath {
    /// The name.
    let input: String
    /// Whether the address begins with it.
    let isFirst: Bool
    /// Where the path to the input stands.
    let span: SourceSpan
}

extension Address {
    /// The inputs that are put into the path as they are, without a function.
    fileprivate var inputsInPath: [InputInPath] {
        guard let holder = text.value.template else { return [] }
        var found: [InputInPath] = []
        for (index, part) in holder.template.parts.enumerated() {
            switch part {
            case .literal(let text):
                if text.contains(where: { $0 == "?" || $0 == "#" }) { return found }
            case .expression(let embedded):
                guard let reference = embedded.references.first, reference.root == .inputs, reference.isComplete,
                    reference.segments.count == 1, let name = reference.segments[0].name,
                    reference.range.count == embedded.expression.text.utf8.count
                else { continue }
                let span = holder.span(of: reference.range)
                found.append(InputInPath(input: name, isFirst: index == 0, span: span))
            }
        }
        return found
    }
}
