import OrderedCollections
import WaybillDiagnostics
import WaybillJSON
package import WaybillManifest

/// An endpoint by itself with every level of its cascade, to show where each setting comes from. It does not include
/// what the steps that call the endpoint add.
package struct EndpointCascade: Sendable {
    /// The endpoint.
    package let endpoint: Definition<Endpoint>
    /// The request with all its settings merged.
    package let request: RequestPlan
    /// Every setting at any level and what became of it; only the request's own for a standalone request.
    package let settings: [TracedSetting]
    /// The settings of the defaults and the service that do not apply because the request is standalone.
    package let passedOver: [Setting<any SettingDefinition>]

    init(_ endpoint: Definition<Endpoint>, _ site: RequestSite, in checked: ResolvedManifest) {
        let service = site.service
        let (original, environment) = (checked.written, checked.environmentChanges)
        var far: [(level: Level, settings: Settings)] = [(.defaults, original.defaults)]
        if let environment { far.append((.defaults, environment.defaults)) }
        if let name = service.name {
            far.append((.service(name), original.services[name]?.value.settings ?? Settings()))
            for (changed, changes) in environment?.services ?? [] where changed.value.hasSameCodePoints(as: name) {
                far.append((.service(name), changes.settings))
            }
        }
        self.endpoint = endpoint
        request = PlanAssembly(checked, inputs: JSONObject()).request(site)
        let own = (level: Level.endpoint(endpoint.name.value), settings: site.definition.settings)
        settings = Cascade.trace((service.standsAlone ? [] : far) + [own])
        passedOver = service.standsAlone ? far.flatMap(\.settings.entries) : []
    }
}
