import OrderedCollections
import WaybillData
import WaybillDiagnostics
import WaybillManifest

/// An input, by what declares it and its name.
enum InputName: Hashable {
    case manifest(String)
    case endpoint(String, String)
    case graph(String, String)
}

/// Which definitions of a manifest something in it uses.
struct UsedDefinitions {
    private(set) var inputs: Set<InputName> = []
    private(set) var secrets: Set<String> = []
    private(set) var data: Set<String> = []
    private(set) var services: Set<String> = []
    private(set) var filters: Set<String> = []
    /// Variables, by the places of their names.
    private(set) var variables: Set<SourceSpan> = []

    private let manifest: Manifest

    init(_ subject: RuleSubject) {
        manifest = subject.manifest
        collectCalls(subject)
        for request in subject.requests {
            if let service = request.service.name { services.insert(service) }
        }
        subject.forEachSettings { settings in
            for entry in settings.entries {
                if case .filter(.named(let name, _)) = entry.value { filters.insert(name.value) }
            }
        }
        for filter in manifest.filters.values {
            for case .named(let name, _) in filter.value.map(\.value) { filters.insert(name.value) }
        }
        subject.forEachUse { use, place in
            for reference in use.text.references { note(reference, place) }
        }
    }

    // MARK: Calls

    private mutating func collectCalls(_ subject: RuleSubject) {
        for service in manifest.services.values {
            if let call = service.value.session?.call { noteInherited(endpointInputs(call), call) }
        }
        subject.forEachStep { site in
            switch site.step.action {
            case .call(let call): noteInherited(endpointInputs(call), call)
            case .graph(let call): noteInherited(manifest.graphs[call.name.value]?.value.inputs, call)
            case .request, .group, .values, .end: break
            }
        }
    }

    private func endpointInputs(_ call: Step.Call) -> Definitions<InputDeclaration>? {
        manifest.endpoints[call.name.value]?.value.inputs
    }

    /// Notes the manifest's inputs that stand in for those that a call does not give.
    private mutating func noteInherited(_ declared: Definitions<InputDeclaration>?, _ call: Step.Call) {
        guard let declared, !declared.isEmpty, !manifest.inputs.isEmpty else { return }
        let shared = declared.keys.filter { manifest.inputs[$0] != nil }
        guard !shared.isEmpty else { return }
        let given = Set(call.arguments.map(\.name.value))
        for name in shared where !given.contains(name) { inputs.insert(.manifest(name)) }
    }

    // MARK: Expressions

    private mutating func note(_ reference: Reference, _ place: UsePlace) {
        let name = reference.segments.first?.name
        switch reference.name {
        case "inputs": noteInput(name, place)
        case "manifest": noteInput(reference.segments.dropFirst().first?.name, UsePlace(level: .defaults))
        case "secrets": secrets.formUnion(name.map { [$0] } ?? Array(manifest.secrets.keys))
        case "data": data.formUnion(name.map { [$0] } ?? Array(manifest.data.keys))
        case "vars":
            for variable in place.vars where name == nil || variable.name.value == name {
                variables.insert(variable.name.span)
            }
        default: break
        }
    }

    private mutating func noteInput(_ name: String?, _ place: UsePlace) {
        let own: Definitions<InputDeclaration>
        let input: (String) -> InputName
        switch place.level {
        case .endpoint(let endpoint):
            own = manifest.endpoints[endpoint]?.value.inputs ?? [:]
            input = { .endpoint(endpoint, $0) }
        case .graph(let graph):
            own = manifest.graphs[graph]?.value.inputs ?? [:]
            input = { .graph(graph, $0) }
        case .defaults, .service:
            own = [:]
            input = { .manifest($0) }
        }
        if let name {
            inputs.insert(own[name] == nil ? .manifest(name) : input(name))
        } else {
            // The whole of them has the manifest's too.
            inputs.formUnion(own.keys.map(input))
            inputs.formUnion(manifest.inputs.keys.map(InputName.manifest))
        }
    }
}
