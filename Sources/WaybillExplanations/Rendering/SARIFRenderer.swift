package import WaybillDiagnostics
import WaybillJSON
import WaybillRuntime

/// Writes diagnostics as a log in SARIF 2.1.0 (OASIS, with errata 01), which code hosts and editors read.
///
/// Paths stay relative to the folder that the program runs in, so that logs of the same diagnostics are equal on all
/// machines.
package struct SARIFRenderer: DiagnosticRenderer {
    package init() {}

    /// Returns a log with one run and a final line break, even without diagnostics. Its results are in the order of the
    /// diagnostics; its rules are the ids that occur. Columns count Unicode code points.
    package func document(for diagnostics: [Diagnostic]) -> String {
        var artifacts = SARIFArtifacts()
        var ids: [DiagnosticID: Int] = [:]
        var rules: [JSON] = []
        var results: [JSON] = []
        for diagnostic in diagnostics {
            if ids[diagnostic.id] == nil {
                ids[diagnostic.id] = rules.count
                rules.append(Self.rule(of: diagnostic))
            }
            results.append(Self.result(diagnostic, rule: ids[diagnostic.id] ?? 0, in: &artifacts))
        }
        let driver: JSON = [
            "name": "Waybill", "semanticVersion": .string(WaybillVersion.current), "rules": .array(rules),
        ]
        var run = JSONObject()
        run["tool"] = ["driver": driver]
        run["columnKind"] = "unicodeCodePoints"
        if let bases = artifacts.bases { run["originalUriBaseIds"] = bases }
        if !artifacts.unnamed.isEmpty { run["artifacts"] = .array(artifacts.unnamed) }
        run["results"] = .array(results)
        let log: JSON = [
            "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
            "version": "2.1.0",
            "runs": [.object(run)],
        ]
        return JSONWriter(layout: .pretty).string(log) + "\n"
    }

    /// Returns the description of the kind of a diagnostic, with its page if it has one.
    private static func rule(of diagnostic: Diagnostic) -> JSON {
        var members = JSONObject()
        members["id"] = .string(diagnostic.id.name)
        if let page = Explanation.of(diagnostic.id) {
            members["shortDescription"] = ["text": .string(page.title)]
            members["help"] = ["text": .string(page.paragraphs.joined(separator: "\n\n"))]
        }
        members["defaultConfiguration"] = ["level": .string(diagnostic.severity.rawValue)]
        return .object(members)
    }

    private static func result(_ diagnostic: Diagnostic, rule: Int, in artifacts: inout SARIFArtifacts) -> JSON {
        var members = JSONObject()
        members["ruleId"] = .string(diagnostic.id.name)
        members["ruleIndex"] = .number(JSONNumber(rule))
        members["level"] = .string(diagnostic.severity.rawValue)
        members["message"] = ["text": .string(message(of: diagnostic))]
        if let primary = diagnostic.primary {
            members["locations"] = [.object(location(of: primary.span, in: &artifacts))]
        }
        if !diagnostic.secondary.isEmpty {
            members["relatedLocations"] = .array(
                diagnostic.secondary.map { label in
                    var members = location(of: label.span, in: &artifacts)
                    if !label.text.isEmpty { members["message"] = ["text": .string(label.text)] }
                    return .object(members)
                }
            )
        }
        return .object(members)
    }

    /// Returns whole sentences. Braces are not doubled. The standard requires that, but viewers undo it only in
    /// messages with arguments, and people copy what they see into a manifest.
    private static func message(of diagnostic: Diagnostic) -> String {
        (["\(diagnostic.statement)."] + diagnostic.help).joined(separator: " ")
    }

    private static func location(of span: SourceSpan, in artifacts: inout SARIFArtifacts) -> JSONObject {
        let (start, end) = (span.start, span.end)
        let region: JSON = [
            "startLine": .number(JSONNumber(start.line)),
            "startColumn": .number(JSONNumber(start.column)),
            "endLine": .number(JSONNumber(end.line)),
            "endColumn": .number(JSONNumber(end.column)),
            "byteOffset": .number(JSONNumber(span.range.lowerBound)),
            "byteLength": .number(JSONNumber(span.range.count)),
        ]
        var members = JSONObject()
        members["physicalLocation"] = ["artifactLocation": artifacts.location(of: span.file), "region": region]
        return members
    }
}
