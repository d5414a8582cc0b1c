package import WaybillDiagnostics
package import WaybillJSON

/// Writes diagnostics as one JSON document in the format of `schemas/diagnostics.schema.json`.
package enum JSONDiagnosticRenderer {
    /// Returns `{errors, warnings, diagnostics}` with a final line break, even without diagnostics. Lines and columns
    /// count from 1, byte offsets from 0.
    package static func document(for diagnostics: [Diagnostic]) -> String {
        JSONWriter(layout: .pretty).string(json(for: diagnostics)) + "\n"
    }

    /// Returns `{errors, warnings, diagnostics}`; see `document`.
    package static func json(for diagnostics: [Diagnostic]) -> JSON {
        let errors = diagnostics.count { $0.severity == .error }
        return [
            "errors": .number(JSONNumber(errors)),
            "warnings": .number(JSONNumber(diagnostics.count - errors)),
            "diagnostics": .array(diagnostics.map(Self.value)),
        ]
    }

    private static func value(of diagnostic: Diagnostic) -> JSON {
        var members = JSONObject()
        members["id"] = .string(diagnostic.id.name)
        members["severity"] = .string(diagnostic.severity.rawValue)
        members["message"] = .string(diagnostic.headline)
        if let primary = diagnostic.primary { add(primary, textAs: "label", to: &members) }
        members["labels"] = .array(
            diagnostic.secondary.map { label in
                var members = JSONObject()
                add(label, textAs: "text", to: &members)
                return .object(members)
            }
        )
        members["help"] = .array(diagnostic.help.map { .string($0) })
        return .object(members)
    }

    private static func add(_ label: Diagnostic.Label, textAs name: String, to members: inout JSONObject) {
        let span = label.span
        members["file"] = .string(span.file.name)
        members["start"] = position(span.start, offset: span.range.lowerBound)
        members["end"] = position(span.end, offset: span.range.upperBound)
        if !label.text.isEmpty { members[name] = .string(label.text) }
    }

    private static func position(_ position: SourcePosition, offset: Int) -> JSON {
        [
            "line": .number(JSONNumber(position.line)),
            "column": .number(JSONNumber(position.column)),
            "offset": .number(JSONNumber(offset)),
        ]
    }
}
