import OrderedCollections
import WaybillDiagnostics
import WaybillJSON
package import WaybillManifest

/// An endpoint by itself and every level of its cascade, so that of each setting it can be told where it comes from. What
/// steps add that call it is not in it.
package struct EndpointCascade: Sendable {
    /// The endpoint.
    package let endpoint: Definition<Endpoint>
    /// The request with all its settings merged.
    package let request: RequestPlan
    /// Every setting at any level and what became of it; of a request that stands alone only its own.
    package let settings: [TracedSetting]
    /// The settings of defaults and service that do not apply because the request stands alone.
    package let passedOver: [Setting<SettingValue>]

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
