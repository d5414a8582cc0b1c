import WaybillDiagnostics
import WaybillManifest

/// Parameters that are sent as a property list cannot contain null, which property lists do not support.
struct PropertyListNulls: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        subject.diagnosticsOfRequests { site in
            guard case .plist? = site.nearest(ParameterEncoding.key, { $0.encoding })?.value,
                site.body == nil,
                site.definition.sendsParametersInQuery == false, !site.unknown.contains(SettingDefinitions.inherit)
            else { return [] }
            return site.merged.params.compactMap { $0.value.value?.firstNull }.map {
                .nullInPropertyList(at: $0)
            }
        }
    }
}
