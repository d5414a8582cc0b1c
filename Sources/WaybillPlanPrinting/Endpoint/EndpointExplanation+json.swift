import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillPlan

extension EndpointExplanation {
    /// The explanation as one JSON document, `#/$defs/endpointExplanation` of `schemas/plan.schema.json`, which ends
    /// with a line break.
    package var jsonDocument: String {
        let json = PlanJSON(form: form, environment: environment)
        let endpoint = cascade.endpoint
        let request = cascade.request
        let level = Level.endpoint(endpoint.name.value)
        let document: JSON = .present([
            ("endpoint", .string(endpoint.name.value)),
            ("service", request.service.map { .string($0) }),
            ("operation", json.operation(of: request)),
            ("method", .string(request.writtenMethod)),
            ("address", .string(form.address(of: request))),
            ("from", .present(json.location(endpoint.name.span))),
            (
                "parts",
                .array(
                    parts.map { part in
                        .present([
                            ("key", .string(part.key)),
                            ("name", part.name.map { .string($0) }),
                            ("value", part.value),
                            ("from", json.from(part.span, level)),
                        ])
                    }
                )
            ),
            ("settings", .array(settings.map { Self.value($0, json) })),
        ])
        return JSONWriter(layout: .pretty).string(document) + "\n"
    }

    private static func value(_ explained: Explained, _ json: PlanJSON) -> JSON {
        let (effect, by): (String, JSON?) =
            switch explained.effect {
            case .used: ("used", nil)
            case .removal: ("removal", nil)
            case .replaced(let setting): ("replaced", json.from(setting.span, setting.level))
            case .unset(let setting): ("unset", json.from(setting.span, setting.level))
            case .declined(let name): ("declined", json.from(name.span, name.level))
            case .standalone: ("standalone", nil)
            case .otherOrigin: ("otherOrigin", nil)
            case .ownOriginOnly: ("ownOriginOnly", nil)
            }
        guard var members = json.value(explained.setting).object else { return .null }
        members["effect"] = .string(effect)
        members["by"] = by
        return .object(members)
    }
}
