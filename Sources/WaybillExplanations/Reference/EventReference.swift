import WaybillJSON
import WaybillManifest

/// The reference of events.
struct EventReference {
    private let schema = (try? JSONParser().parse(EmbeddedSchema.event.text)) ?? .null

    var markdown: String {
        var text = "# Events of a run\n\n"
        text += "`events.ndjson` and `waybill run --format ndjson` have one JSON object per line."
        text += " [`schemas/event.schema.json`](../../schemas/event.schema.json) describes them exactly.\n\n"
        text += "\(Markdown.prose(schema["description"]?.string ?? ""))\n\n"
        text += "## Members of every event\n\n"
        text += members(of: schema)
        for event in schema["oneOf"]?.array ?? [] {
            guard let type = event["properties"]?["type"]?["const"]?.string else { continue }
            text += "\n## `\(type)`\n\n\(Markdown.prose(event["description"]?.string ?? ""))\n"
            let table = members(of: event)
            if !table.isEmpty { text += "\n\(table)" }
        }
        return text
    }

    /// The members that a schema describes; empty if there are none.
    private func members(of schema: JSON) -> String {
        let required = Set((schema["required"]?.array ?? []).compactMap(\.string))
        let rows: [[String]] = (schema["properties"]?.object ?? JSONObject()).compactMap { name, property in
            let referred = property["$ref"]?.string.flatMap(definition)
            guard let text = property["description"]?.string ?? referred?["description"]?.string else { return nil }
            return [Markdown.code(name), required.contains(name) ? "always" : "", Markdown.prose(text)]
        }
        return rows.isEmpty ? "" : Markdown.table(["member", "", "what it is"], rows)
    }

    /// A definition of this schema.
    private func definition(_ reference: String) -> JSON? {
        guard reference.hasPrefix("#/$defs/") else { return nil }
        return schema["$defs"]?[String(reference.dropFirst("#/$defs/".count))]
    }
}
