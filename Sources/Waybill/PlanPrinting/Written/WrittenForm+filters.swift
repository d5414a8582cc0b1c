import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillSchema

/// Filters.
extension WrittenForm {
    /// An entry of a list of filters.
    func value(_ entry: FilterEntry) -> JSON {
        switch entry {
        case .named(let name, onEveryStatus: true): ["filter": .string(text(name.value)), "for": "any"]
        case .named(let name, onEveryStatus: false): .string(text(name.value))
        case .stage(let stage): value(stage)
        }
    }

    /// A stage, under its key.
    func value(_ stage: FilterStage) -> JSON {
        .object(JSONObject([(name: stage.name, value: content(of: stage))]))
    }

    private func content(of stage: FilterStage) -> JSON {
        switch stage {
        case .require(let that, nil, nil): .string(text(that))
        case .require(let that, let code, let message):
            .object(
                .present([
                    ("that", .string(text(that))),
                    ("code", code.map { .string(text($0)) }),
                    ("message", message.map { .string(text($0)) }),
                ])
            )
        case .select(let path, nil): .string(text(path))
        case .select(let path, let fallback?): ["path": .string(text(path)), "default": value(fallback)]
        case .envelope(let envelope): content(of: envelope)
        case .map(let template), .default(let template): value(template)
        case .where(let condition): .string(text(condition))
        case .pick(let names), .omit(let names): .array(names.map { .string(text($0.value)) })
        case .rename(let names):
            .object(JSONObject(names.map { (text($0.old.value), .string(text($0.new.value))) }))
        case .set(let members):
            .object(JSONObject(members.map { (text($0.name.value), .string(text($0.value))) }))
        case .sort(let by, let isDescending):
            .object(.present([("by", by.map { .string(text($0)) }), ("order", isDescending ? "desc" : "asc")]))
        case .unique(let by): .object(.present([("by", by.map { .string(text($0)) })]))
        case .limit(let number): .count(number)
        case .flatten: true
        case .decode(let format): .string(format.rawValue)
        case .schema(let schema): value(schema.document)
        }
    }

    private func content(of envelope: FilterStage.Envelope) -> JSON {
        .object(
            .present([
                ("code", .string(text(envelope.code))),
                ("ok", .array(envelope.ok.map(value))),
                ("message", envelope.message.map { .string(text($0)) }),
                ("data", envelope.data.map { .string(text($0)) }),
            ])
        )
    }
}
