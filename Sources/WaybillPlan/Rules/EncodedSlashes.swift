import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest

/// Warns of a constant with slashes that is used as one path segment, where each slash is encoded as `%2F`.
struct EncodedSlashes: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        for endpoint in subject.manifest.endpoints.values {
            let request = endpoint.value.request
            let known = KnownValues(
                inputs: subject.manifest.inputs,
                declared: endpoint.value.inputs,
                vars: request.vars
            )
            for part in request.address.insertedPaths {
                diagnostics += warnings(known.values(of: part.reference), in: part)
            }
        }
        for site in subject.steps {
            switch site.step.action {
            case .request(let definition):
                let known = KnownValues(
                    inputs: subject.manifest.inputs,
                    declared: site.graph.value.inputs,
                    vars: definition.vars + site.step.vars,
                    loops: (site.around + [site.step]).compactMap { $0.flow?.forEach }
                )
                for part in definition.address.insertedPaths {
                    diagnostics += warnings(known.values(of: part.reference), in: part)
                }
            case .call(let call):
                for given in call.arguments {
                    guard let value = given.value.constant?.string, value.utf8.contains(UInt8(ascii: "/")) else {
                        continue
                    }
                    for part in site.endpoint?.request.address.insertedPaths ?? [] where part.isInput(given.name.value)
                    {
                        diagnostics += warnings([(value, given.value.span)], in: part)
                    }
                }
            case .graph, .group, .values, .end: continue
            }
        }
        return diagnostics
    }

    private func warnings(_ values: [(text: String, span: SourceSpan)], in part: InsertedPath) -> [Diagnostic] {
        // A path may start with a whole URL, which is not encoded.
        let value = values.first { $0.text.contains("/") && !(part.isFirst && $0.text.lowercased().hasPrefix("http")) }
        guard let value else { return [] }
        return [
            Diagnostic(
                "encoded-slash",
                "each '/' of the value is sent as %2F, because ${…} in a path is one segment",
                severity: .warning,
                at: part.span,
                secondary: [.init(value.span, "the value")],
                help: ["Write ${raw(\(part.text))} to send the slashes as they are."]
            )
        ]
    }
}

/// The constant strings that paths of the expression language lead to.
private struct KnownValues {
    /// The manifest's inputs.
    let inputs: Definitions<InputDeclaration>
    /// The inputs of the endpoint or graph.
    let declared: Definitions<InputDeclaration>
    let vars: [VariableDefinition]
    var loops: [ForEach] = []

    /// The strings that a path may evaluate to, if they are written in the manifest, each with its span.
    func values(of reference: Reference) -> [(text: String, span: SourceSpan)] {
        let names = reference.segments.compactMap(\.name)
        switch (reference.root, names.count) {
        case (.inputs, 1): return defaultValue(of: declared[names[0]] ?? inputs[names[0]])
        case (.manifest, 2): return defaultValue(of: inputs[names[1]])
        case (.vars, 1): return vars.last { $0.name.value == names[0] }.map { constants(in: [$0.value]) } ?? []
        case (nil, 0):
            guard case .list(let list) = loops.last(where: { $0.variable.value == reference.name })?.elements else {
                return []
            }
            return constants(in: list)
        default: return []
        }
    }

    private func defaultValue(of input: Definition<InputDeclaration>?) -> [(text: String, span: SourceSpan)] {
        guard let input, let text = input.value.defaultValue?.string else { return [] }
        return [(text, input.value.span)]
    }

    private func constants(in values: [ValueTemplate]) -> [(text: String, span: SourceSpan)] {
        values.compactMap { value in value.constant?.string.map { ($0, value.span) } }
    }
}

/// A `${…}` in the path of an address that contains only a path of the expression language.
private struct InsertedPath {
    /// The path.
    let reference: Reference
    /// The path as written.
    let text: String
    /// Whether the address starts with it.
    let isFirst: Bool
    /// The template that contains it.
    let template: ManifestTemplate
    var span: SourceSpan { template.span(of: reference.range) }

    /// Whether it is an input itself, not a part of one.
    func isInput(_ name: String) -> Bool {
        reference.root == .inputs && reference.segments.count == 1 && reference.segments[0].name == name
    }
}

extension Address {
    /// The paths of the expression language whose values are inserted into the path directly, without a function.
    fileprivate var insertedPaths: [InsertedPath] {
        // A value that is the whole address keeps its slashes.
        guard let holder = text.value.template, holder.template.parts.count > 1 else { return [] }
        var found: [InsertedPath] = []
        for (index, part) in holder.template.parts.enumerated() {
            switch part {
            case .literal(let text):
                if text.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) { return found }
            case .expression(let expression):
                let text = expression.text
                guard let reference = expression.references.first, reference.isComplete,
                    reference.range.count == text.utf8.count
                else { continue }
                found.append(InsertedPath(reference: reference, text: text, isFirst: index == 0, template: holder))
            }
        }
        return found
    }
}
