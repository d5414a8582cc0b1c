package import WaybillManifest

/// The origin of a request's service. Requests to another origin are sent without the settings that are limited to it
/// (`Setting.isForServiceOrigin`).
package enum ServiceOrigin: Sendable {
    /// There is no origin to compare with: the request is standalone, or has neither a service nor a default base URL.
    case any
    /// The service has no base URL, and therefore no origin.
    case none
    /// The origin of this base URL: that of the service or of the defaults.
    case of(Setting<ScalarTemplate>)

    init(_ service: RequestService, in far: SharedLevels) {
        if service.standsAlone {
            self = .any
        } else if let baseURL = service.settings?.baseURL ?? far.defaults.baseURL {
            self = .of(baseURL)
        } else {
            self = service.name == nil ? .any : .none
        }
    }
}
