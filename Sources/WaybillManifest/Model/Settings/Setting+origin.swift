extension Setting<SettingValue> {
    /// Whether the setting is only for requests to the origin of their service: the content and the credentials that a
    /// service adds to its requests, and the credentials of the defaults.
    package var isForServiceOrigin: Bool {
        switch level {
        case .defaults: value.isCredential
        case .service: value.isCredential || value.isContentOfServices
        case .endpoint, .graph: false
        }
    }
}

extension SettingValue {
    /// Whether it shows a server who sends a request.
    fileprivate var isCredential: Bool {
        switch self {
        case .auth, .cookies(.jar), .tls(.certificate, _), .tls(.key, _): true
        default: false
        }
    }

    /// Whether it is part of what requests say, or leads them to a server.
    fileprivate var isContentOfServices: Bool {
        switch self {
        case .header, .query, .parameter, .body, .unixSocket: true
        default: false
        }
    }
}
