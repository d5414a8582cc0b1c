/// What requests with one endpoint have in common: everything but the values of strings and numbers.
struct RequestShape {
    /// A string that is equal for requests with the same shape.
    private(set) var key: String

    init(_ form: RequestForm) {
        key = "\(form.method)\n\(form.service)\n"
        for part in form.path {
            switch part {
            case .fixed(let text):
                key += text.segments.map(\.written).map { Self.isValue($0[...]) ? "*" : $0 }.joined(separator: "/")
            case .input(let name, _): key += ":\(name)"
            }
        }
        key += "\n\(form.hasOuterAuth)\(form.auth.map { "\($0)" } ?? "")"
        // The examples of several requests are used in the order of the calls, so that each has only one.
        if case .list? = form.mock { key += "\n\(form.position)" }
        add(.map(form.settings(withAuth: !form.hasOuterAuth)))
    }

    /// Whether a segment of a path is the id of something: a number or a UUID.
    static func isValue(_ segment: Substring) -> Bool {
        let bytes = segment.utf8
        guard !bytes.isEmpty else { return false }
        if bytes.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) { return true }
        return bytes.count == 36 && bytes.allSatisfy { "0123456789abcdefABCDEF-".utf8.contains($0) }
    }

    private mutating func add(_ node: ManifestNode) {
        switch node {
        case .text, .string, .plain: key += "s"
        case .literal(let literal): key += literal.first?.isLetter ?? true ? literal : "n"
        case .map(let entries, _), .list(let entries, _):
            key += "{"
            for entry in entries {
                key += "\(entry.name ?? "-"):"
                if let value = entry.value { add(value) }
                key += ","
            }
            key += "}"
        }
    }
}

/// An endpoint for requests of one shape.
struct MergedRequest {
    /// An input of the endpoint, and its value for each request.
    struct Input {
        var name: String
        var type: String?
        var values: [ManifestNode]
    }

    var name = ""
    private(set) var inputs: [Input] = []
    /// The entries of the endpoint.
    private(set) var entries: [ManifestEntry] = []
    private let forms: [RequestForm]
    /// The expressions that an endpoint cannot use.
    private let scoped: Set<String>
    private var names = UniqueNames()

    /// The length of the longest value, in bytes.
    var longestValue: Int {
        inputs.flatMap(\.values).map { value in
            switch value {
            case .literal(let text): text.utf8.count
            default: value.written?.utf8.count ?? Int.max
            }
        }.max() ?? 0
    }

    /// Merges requests, of which there is at least one.
    init(_ forms: [RequestForm]) {
        self.forms = forms
        scoped = forms.reduce(into: []) { $0.formUnion($1.scopedExpressions) }
        let first = forms[0]
        let path = mergedPath()
        let settings = forms.map { ManifestNode.map($0.settings(withAuth: !$0.hasOuterAuth)) }
        let merged = merge(settings, named: "value")
        if !first.service.isEmpty { entries.append(ManifestEntry("service", .plain(first.service))) }
        if first.method != "GET" { entries.append(ManifestEntry("method", .string(Template(constant: first.method)))) }
        entries.append(ManifestEntry("path", .string(path == "" ? "/" : path)))
        if !inputs.isEmpty {
            let definitions = inputs.map { ManifestEntry($0.name, $0.type.map { .plain($0) } ?? .map([])) }
            entries.append(ManifestEntry("inputs", .map(definitions)))
        }
        if case .map(let settings, _) = merged { entries += settings }
        let mocks = forms.compactMap(\.mock)
        if mocks.count == forms.count, Set(mocks.map { "\($0)" }).count > 1 {
            // The examples are used in the order of the calls.
            entries.append(ManifestEntry("mock", .list(of: mocks)))
        } else if let mock = mocks.first {
            entries.append(ManifestEntry("mock", mock))
        }
    }

    /// Returns the path with inputs where the paths differ.
    private mutating func mergedPath() -> Template {
        var result: Template = ""
        for (index, part) in forms[0].path.enumerated() {
            switch part {
            case .input(let wanted, _):
                let values = forms.map { form -> Template in
                    if case .input(_, let value) = form.path[index] { value } else { "" }
                }
                result += Template(expression: "inputs.\(addInput(wanted, values.map { .string($0) }))")
            case .fixed:
                let texts = forms.map { form -> [Template] in
                    if case .fixed(let text) = form.path[index] { text.segments } else { [] }
                }
                let segments = texts[0].indices.map { position -> Template in
                    let values = texts.map { $0[position] }
                    let isSame = values.allSatisfy { $0 == values[0] } && !isScoped(values[0].written)
                    guard !isSame, !values.contains("") else { return values[0] }
                    let earlier = position > 0 ? texts[0][position - 1].written : ""
                    let wanted = inputName(for: values[0].written, otherwise: Self.idName(after: earlier))
                    return Template(expression: "inputs.\(addInput(wanted, values.map { .string($0) }))")
                }
                result += segments.joined(separator: "/")
            }
        }
        return result
    }

    /// The name of an id after a segment of a path: `id`, or `orderId` if there is an `id` before.
    private static func idName(after segment: String) -> String {
        guard let name = NameForms.identifier(segment) else { return "id" }
        return (name.hasSuffix("s") ? String(name.dropLast()) : name) + "Id"
    }

    /// Returns a value with inputs where the values differ.
    private mutating func merge(_ nodes: [ManifestNode], named name: String) -> ManifestNode {
        switch nodes[0] {
        case .map(let entries, let isOpen), .list(let entries, let isOpen):
            let merged = entries.indices.map { index -> ManifestEntry in
                var entry = entries[index]
                // The first member of an element names it, as in a part of a multipart body.
                let label: String? =
                    if case .map(let parts, _) = entry.value, case .string(let text)? = parts.first?.value {
                        text.written
                    } else { nil }
                entry.value = entry.value.map { _ in
                    merge(nodes.compactMap { $0.entries[index].value }, named: entry.name ?? label ?? name)
                }
                return entry
            }
            return if case .map = nodes[0] { .map(merged, isOpen: isOpen) } else { .list(merged, isOpen: isOpen) }
        case .text(let template), .string(let template):
            let text = template.written
            let isSame = nodes.allSatisfy { $0 == nodes[0] } && !isScoped(text)
            guard !isSame else { return nodes[0] }
            let values = nodes.map { node -> ManifestNode in
                if case .text(let text) = node { .string(text) } else { node }
            }
            let input = addInput(inputName(for: text, otherwise: SecretNames.secret(for: name)), values)
            let value = Template(expression: "inputs.\(input)")
            return if case .text = nodes[0] { .text(value) } else { .string(value) }
        case .plain: return nodes[0]
        case .literal:
            guard nodes.contains(where: { $0 != nodes[0] }) else { return nodes[0] }
            let input = addInput(NameForms.identifier(name) ?? "value", nodes, type: "number")
            return .string(Template(expression: "inputs.\(input)"))
        }
    }

    /// Whether a template uses a value that an endpoint cannot use.
    private func isScoped(_ text: String) -> Bool {
        text.contains("${") && scoped.contains { text.contains($0) }
    }

    /// The name of an input whose value is often `${steps.login.outputs.token}`.
    private func inputName(for text: String, otherwise: String) -> String {
        guard text.hasPrefix("${"), text.hasSuffix("}"), !text.dropFirst(2).contains("$"), !text.contains("("),
            let last = text.dropLast().split(separator: ".").last
        else { return otherwise }
        return String(last)
    }

    private mutating func addInput(_ wanted: String, _ values: [ManifestNode], type: String = "string") -> String {
        let name = names.add(wanted)
        // What a step or a graph's input has may be of any type.
        let isAny = values.contains {
            if case .string(let text) = $0 { isScoped(text.written) && text.written.hasPrefix("${") } else { false }
        }
        inputs.append(Input(name: name, type: isAny ? nil : type, values: values))
        return name
    }
}

extension ManifestNode {
    /// The entries of a map or list.
    var entries: [ManifestEntry] {
        switch self {
        case .map(let entries, _), .list(let entries, _): entries
        default: []
        }
    }
}
