package import WaybillManifest

/// The origin that a request's service has: a request to another one receives none of the settings that are for it
/// (`Setting.isForServiceOrigin`).
package enum ServiceOrigin: Sendable {
    /// There is nothing to compare with: the request is standalone, or has neither a service nor a base URL by default.
    case any
    /// The service has no base URL, and so no origin.
    case none
    /// The origin of this base URL: that of the service, or that of the defaults.
    case of(Setting<ScalarTemplate>)

    init(_ service: RequestService, in far: FarLevels) {
        if service.standsAlone {
            self = .any
        } else if let baseURL = service.settings?.baseURL ?? far.defaults.baseURL {
            self = .of(baseURL)
        } else {
            self = service.name == nil ? .any : .none
        }
    }
}
