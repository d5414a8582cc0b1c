/// The requests that become endpoints: those with inputs of their own, and those that differ only in values.
struct EndpointPlan {
    /// The endpoints.
    private(set) var definitions: [ManifestEntry] = []
    /// The calls, by the position of the request.
    private var calls: [Int: Call] = [:]

    /// A step that calls an endpoint.
    private struct Call {
        var endpoint: String
        var arguments: [ManifestEntry]
        /// The credentials, where those of the endpoint would have no effect.
        var auth: ManifestNode?
    }

    /// The maximum number of values in which requests with one endpoint differ, and their length in bytes.
    private static let maximumInputs = 4
    private static let maximumLength = 200

    /// Decides which requests become endpoints.
    init(_ forms: [RequestForm]) {
        var groups: [(shape: String, forms: [RequestForm])] = []
        var indices: [String: Int] = [:]
        for form in forms {
            let shape = RequestShape(form).key
            if let index = indices[shape] {
                groups[index].forms.append(form)
            } else {
                indices[shape] = groups.count
                groups.append((shape, [form]))
            }
        }
        var names = UniqueNames()
        for (_, forms) in groups {
            let hasInputs = forms[0].path.contains { if case .input = $0 { true } else { false } }
            guard forms.count > 1 || hasInputs else { continue }
            var merged = MergedRequest(forms)
            if merged.inputs.count > Self.maximumInputs + (hasInputs ? 4 : 0)
                || merged.longestValue > Self.maximumLength
            {
                guard hasInputs else { continue }
                // Each request has an endpoint of its own.
                for form in forms { add(MergedRequest([form]), [form], &names) }
                continue
            }
            merged.name = forms[0].name
            add(merged, forms, &names)
        }
    }

    private mutating func add(_ merged: MergedRequest, _ forms: [RequestForm], _ names: inout UniqueNames) {
        let name = names.add(forms[0].name)
        definitions.append(ManifestEntry(name, .map(merged.entries, isOpen: true)))
        for (index, form) in forms.enumerated() {
            let arguments = merged.inputs.map { ManifestEntry($0.name, $0.values[index]) }
            calls[form.position] = Call(
                endpoint: name,
                arguments: arguments,
                auth: form.hasOuterAuth ? form.auth : nil
            )
        }
    }

    /// Returns the entries of the step for a request that calls an endpoint; nil for another request.
    func callEntries(at position: Int, id: String) -> [ManifestEntry]? {
        guard let call = calls[position] else { return nil }
        var entries = id == call.endpoint ? [] : [ManifestEntry("id", .plain(id))]
        entries.append(ManifestEntry("call", .plain(call.endpoint)))
        if !call.arguments.isEmpty { entries.append(ManifestEntry("with", .map(call.arguments))) }
        if let auth = call.auth { entries.append(ManifestEntry("auth", auth)) }
        return entries
    }
}
