import WaybillDiagnostics
import WaybillJSON

/// Determines which parts of the model are unknown because of errors in the source.
extension ManifestDecoder {
    /// The keys whose values are known or unknown as a whole, with the parts that they define.
    private static let parts: [(key: String, part: UnknownParts)] = [
        ("id", .id), ("when", .condition), ("forEach", .loop), ("needs", .needs), ("paginate", .pages),
        ("write", .file), ("download", .download),
        ("with", .arguments), ("outputs", .outputs), ("values", .outputs), ("vars", .vars), ("service", .service),
        ("method", .method), ("session", .session), ("state", .state), ("operation", .inputs),
        ("openapi", .contract), ("security", .security),
    ]

    /// The keys whose values have parts that can be known separately.
    private static let containers: [(key: String, part: UnknownParts)] = [
        ("inputs", .inputs), ("chain", .steps), ("batch", .steps), ("finally", .steps),
    ]

    /// Returns the unknown parts of a definition or a step.
    func unknownParts(of node: YAMLNode) -> UnknownParts {
        guard let faults, faults.touches(node) else { return [] }
        var unknown: UnknownParts = []
        for (key, part) in Self.parts where isUnknown(key, of: node) { unknown.insert(part) }
        for (key, part) in Self.containers where areNamesUnknown(of: key, in: node) { unknown.insert(part) }
        if !has(oneOf: ["path", "url"] + StepForm.shortRequests, in: node) { unknown.insert(.address) }
        if !has(oneOf: StepForm.allCases.map(\.rawValue), in: node) { unknown.insert(.form) }
        return unknown
    }

    /// Whether a missing key was probably misspelt. Only the misspelt key is reported then, and not the missing one.
    func isMisspelt(_ key: String, in node: YAMLNode) -> Bool { shape?.doubts(key, in: node) ?? false }

    /// Whether the value of a key is not fully known, or the key may have been intended but is missing.
    func isUnknown(_ key: String, of node: YAMLNode) -> Bool {
        guard let faults else { return false }
        return faults.doubts(key, in: node) || node[key].map(faults.touches) ?? false
    }

    /// Whether names or other parts of the value of a key, or the whole value, may be missing.
    func areNamesUnknown(of key: String, in node: YAMLNode) -> Bool {
        guard let faults else { return false }
        return faults.doubts(key, in: node) || node[key].map(faults.doubtsKeys) ?? false
    }

    /// Whether a mapping has exactly one of some mutually exclusive keys, and its value is known.
    private func has(oneOf keys: [String], in node: YAMLNode) -> Bool {
        let values = keys.compactMap { node[$0] }
        return values.count == 1 && faults?.isUnknown(values[0]) == false
    }

    /// Returns the settings that are not fully known, including `inherit`.
    func unknownSettings(of node: YAMLNode) -> Set<String> {
        guard let faults, faults.touches(node) else { return [] }
        let unknown = Set(SettingDefinitions.levelKeys.filter { isUnknown($0, of: node) })
        // The OpenAPI document of a service has its address.
        return isUnknown("openapi", of: node) ? unknown.union([BaseURLSetting.key]) : unknown
    }

    /// Returns the unknown contents of a whole file.
    func unknownContent(of root: YAMLNode) -> UnknownContent {
        guard let faults else { return UnknownContent() }
        var unknown = UnknownContent(at: faults.spans)
        for section in ManifestSection.allCases {
            if areNamesUnknown(of: section.rawValue, in: root) { unknown.note(section) }
            for (name, value) in named(root[section.rawValue]) {
                let isOfOnePart = section == .secrets || section == .data
                if isOfOnePart ? faults.touches(value) : faults.isUnknown(value) {
                    unknown.note(name.value, in: section)
                }
            }
        }
        if isUnknown("include", of: root) { unknown.noteAll() }
        return unknown
    }

    /// Whether the errors are known and a value has none.
    func isWithoutFaults(_ node: YAMLNode) -> Bool { faults.map { !$0.touches(node) } ?? false }

    /// Whether an entry is left out because its content is unknown.
    func leavesOut(_ node: YAMLNode) -> Bool { faults?.touches(node) ?? false }

    /// Returns a placeholder for an address that is unknown.
    static func unknownAddress(at node: YAMLNode, level: Level) -> Address {
        let nothing = ScalarTemplate(content: .constant(.string(""), text: ""), span: node.span)
        return .path(Setting(nothing, at: node.span, level: level))
    }
}

extension StepForm {
    /// The short forms of requests, which contain the address.
    fileprivate static let shortRequests = allCases.filter(\.isShortRequest).map(\.rawValue)
}
