// What is checked against the OpenAPI document of a service: `contract`.

/// Whether requests or responses are checked against the document (`contract`).
package struct ContractSetting: ReadableSetting {
    package static let key = "contract"

    /// What is checked.
    package enum Subject: String, Sendable, CaseIterable {
        case request, response
    }

    /// What a difference from the document causes.
    package enum Severity: String, Sendable, CaseIterable {
        case error, warning, off
    }

    /// What is checked.
    package let subject: Subject
    /// What a difference causes.
    package let severity: Severity

    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder, _ add: (Self, YAMLNode) -> Void) {
        for (key, value) in node.entries {
            guard let subject: Subject = decoder.word(key), let severity: Severity = decoder.word(value) else {
                continue
            }
            add(Self(subject: subject, severity: severity), value)
        }
    }

    package var merging: SettingMerging { .byName(subject.rawValue) }
}

/// The setting of this file, looked up.
extension Settings {
    /// The first entry of `contract`.
    package var contract: Setting<ContractSetting>? { self[ContractSetting.self] }

    /// What a difference of requests or responses from the document causes.
    package func contractSeverity(of subject: ContractSetting.Subject) -> ContractSetting.Severity {
        if unknown.contains(ContractSetting.key) { return .off }
        return all(ContractSetting.self) { $0.subject == subject ? $0.severity : nil }.last?.value ?? .error
    }
}
