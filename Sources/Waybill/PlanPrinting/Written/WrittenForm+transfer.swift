import WaybillDiagnostics
import WaybillJSON
import WaybillManifest

/// Settings of connections, and of when and how often something is sent.
extension WrittenForm {
    func value(_ option: MessageOption) -> JSON {
        switch option {
        case .text(let text): .string(self.text(text))
        case .showCode(let isShown): .bool(isShown)
        }
    }

    func value(_ option: TLSOption) -> JSON {
        switch option {
        case .verify(let isOn), .verifyHost(let isOn): .bool(isOn)
        case .ca(let path), .certificate(let path), .key(let path): .string(text(path.value))
        case .pins(let pins): .array(pins.map { .string(text($0.value)) })
        case .pinMode(let mode): .string(mode.rawValue)
        case .minVersion(let version): .string(text(version))
        }
    }

    func value(_ proxy: ProxySetting) -> JSON {
        switch proxy {
        case .none: "none"
        case .environment: "environment"
        case .url(let url): .string(text(url))
        }
    }

    func value(_ network: NetworkRequirement) -> JSON {
        .object(
            .present([
                ("interface", network.interface.map { .string(text($0.value)) }),
                ("metered", .bool(network.allowsMetered)),
            ])
        )
    }

    func value(_ policy: CookiePolicy) -> JSON {
        switch policy {
        case .on: true
        case .off: false
        case .jar(let path): ["jar": .string(text(path.value))]
        }
    }

    func value(_ policy: RetryPolicy) -> JSON {
        [
            "times": .count(policy.times),
            "for": .array(
                policy.causes.map { cause in
                    switch cause {
                    case .kind(let kind): .string(kind)
                    case .status(let pattern): value([pattern])
                    }
                }
            ),
            "backoff": [
                "first": .string(policy.backoff.first.manifestText),
                "factor": JSONNumber(policy.backoff.factor).map(JSON.number) ?? .null,
                "max": .string(policy.backoff.max.manifestText),
                "jitter": .bool(policy.backoff.jitter),
            ],
            "unsafe": .bool(policy.isUnsafe),
        ]
    }

    func value(_ policy: DuplicatePolicy) -> JSON {
        .object(
            .present([
                ("mode", .string(policy.mode.rawValue)),
                ("key", policy.key.map { .string(text($0)) }),
            ])
        )
    }
}
