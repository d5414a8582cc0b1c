package import WaybillDiagnostics
import WaybillJSON

/// Writes findings as one JSON document of the shape that `schemas/diagnostics.schema.json` describes.
package struct JSONDiagnosticRenderer: DiagnosticRenderer {
    /// A renderer.
    package init() {}

    /// Returns `{errors, warnings, diagnostics}` with a final line break, also for no diagnostics. Lines and columns count
    /// from 1, byte offsets from 0.
    package func document(for findings: [Diagnostic]) -> String {
        let errors = findings.count { $0.severity == .error }
        let document: JSON = [
            "errors": .number(JSONNumber(errors)),
            "warnings": .number(JSONNumber(findings.count - errors)),
            "diagnostics": .array(findings.map(Self.value)),
        ]
        return JSONWriter(layout: .pretty).string(document) + "\n"
    }

    private static func value(of finding: Diagnostic) -> JSON {
        var members = JSONObject()
        members["id"] = .string(finding.id.name)
        members["severity"] = .string(finding.severity.rawValue)
        members["message"] = .string(finding.headline)
        if let primary = finding.primary { add(primary, textAs: "label", to: &members) }
        members["labels"] = .array(
            finding.secondary.map { label in
                var members = JSONObject()
                add(label, textAs: "text", to: &members)
                return .object(members)
            }
        )
        members["help"] = .array(finding.help.map { .string($0) })
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
