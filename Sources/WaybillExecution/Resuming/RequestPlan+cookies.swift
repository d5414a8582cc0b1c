import WaybillManifest
import WaybillPlan
import WaybillTransport

extension RequestPlan {
    /// Whether it uses the cookies of the run, which are not stored in a file.
    var usesOwnJar: Bool {
        switch settings.cookies?.value {
        case .on, nil: true
        case .off, .jar: false
        }
    }

    /// Whether cookies that it receives are kept.
    var keepsCookies: Bool {
        if case .off = settings.cookies?.value { return false }
        return true
    }

    /// The host that it is sent to; `nil` if that is only known during the run.
    var knownHost: String? {
        var text = settings.baseURL?.value
        if case .url(let url) = address { text = url.value }
        return text?.constantText.flatMap { try? Origin(ofURL: $0) }?.endpoint.host
    }
}
