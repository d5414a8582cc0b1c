import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillManifest

/// Which inputs of endpoints and graphs may have values that come from responses, through any call in a manifest.
struct InputSources: Sendable {
    /// An input of the endpoint or graph of a level.
    private struct Input: Hashable {
        let level: Level
        let name: String
    }

    private let fromResponses: Set<Input>

    init(_ manifest: Manifest) {
        var found: Set<Input> = []
        var waiting: [Input] = []
        var passedOn: [Input: [Input]] = [:]
        for graph in manifest.graphs.values {
            for step in graph.value.allSteps {
                guard let (call, level) = step.call else { continue }
                for argument in call.arguments {
                    let input = Input(level: level, name: argument.name.value)
                    for reference in argument.value.templates.flatMap(\.references) {
                        if let name = reference.inputName {
                            passedOn[Input(level: .graph(graph.name.value), name: name), default: []].append(input)
                        } else if reference.mayComeFromResponse {
                            waiting.append(input)
                        }
                    }
                }
            }
        }
        while let input = waiting.popLast() {
            if found.insert(input).inserted { waiting += passedOn[input] ?? [] }
        }
        fromResponses = found
    }

    /// Whether the value of a reference that is written at a level may come from a response.
    func mayComeFromResponse(_ reference: Reference, at level: Level) -> Bool {
        guard let name = reference.inputName else { return reference.mayComeFromResponse }
        return fromResponses.contains(Input(level: level, name: name))
    }
}

extension Step {
    fileprivate var call: (Call, Level)? {
        switch action {
        case .call(let call): (call, .endpoint(call.name.value))
        case .graph(let call): (call, .graph(call.name.value))
        case .request, .group, .values, .end: nil
        }
    }
}

extension Reference {
    /// The name of the input that is referred to.
    fileprivate var inputName: String? { root == .inputs ? segments.first?.name : nil }

    /// Whether the value may come from a response, and not only from the author of the manifest or who runs it. The elements
    /// of a `forEach`, which have names of their own, often do.
    fileprivate var mayComeFromResponse: Bool {
        switch root {
        case .inputs, .manifest, .secrets, .data, .run: false
        default: true
        }
    }
}
