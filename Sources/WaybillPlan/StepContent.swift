package import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillSchema

/// What a step resolves to, wherever in the manifest it was read from: literals as they are, secrets by their names.
///
/// It is made of the values of the plan by reflection, so that nothing that a plan has can be left out by forgetting it.
/// Formatting, the order of the keys of mappings, names for people and examples for the mock are not part of it.
package struct StepContent: Equatable {
    /// The parts by their names: keys of settings, and others such as `url`.
    private let parts: [String: JSON]

    /// The content of a step.
    package init(of step: StepPlan) {
        var parts = Self.parts(of: step.work)
        var reader = ContentReader()
        parts["onFailure"] = reader.content(of: step.onFailure)
        for child in Mirror(reflecting: step.flow as Any).optionalChildren {
            parts[child.label ?? ""] = reader.content(of: child.value)
        }
        self.parts = parts
    }

    /// The names of the parts that differ, in order.
    package func differences(from other: StepContent) -> [String] {
        Set(parts.keys).union(other.parts.keys).filter { parts[$0] != other.parts[$0] }.sorted()
    }

    /// Where the settings of a step's requests are that they did not have like that before.
    package static func changedSettings(of step: StepPlan, since before: StepPlan) -> [SourceSpan] {
        switch (step.work, before.work) {
        case (.request(let now), .request(let before)):
            var reader = ContentReader()
            let old = before.settings.entries.map { reader.content(of: $0) }
            return now.settings.entries.filter { !old.contains(reader.content(of: $0)) }.map(\.span)
        case (.group(let now), .group(let before)):
            var spans: [SourceSpan] = []
            for span in zip(now.steps, before.steps).flatMap(changedSettings) where !spans.contains(span) {
                spans.append(span)
            }
            return spans
        default: return []
        }
    }

    private static func parts(of work: StepPlan.Work) -> [String: JSON] {
        var reader = ContentReader()
        guard case .request(let request) = work else {
            return ["definition": reader.content(of: work)]
        }
        var parts: [String: JSON] = [:]
        for child in Mirror(reflecting: request).children {
            guard let label = child.label, !ContentReader.isLeftOut(label, of: request) else { continue }
            if label == "settings" { continue }
            parts[label == "arguments" ? "with" : label == "address" ? "url" : label] = reader.content(of: child.value)
        }
        for (name, value) in reader.contents(of: request.settings) { parts[name] = value }
        return parts
    }
}

/// Turns values of a plan into JSON, whatever their types, without the spans in them.
private struct ContentReader {
    /// How many expressions have been read.
    private var expressionCount = 0

    /// Whether a property takes no part in what a step does.
    static func isLeftOut(_ label: String, of value: Any) -> Bool {
        switch label {
        case "span": true
        case "mock", "graph", "usesSession", "usesSessionAtServiceOrigin": value is RequestPlan
        case "name", "path", "keeps", "form", "isTolerated": value is StepPlan
        default: false
        }
    }

    mutating func content(of value: Any) -> JSON {
        switch value {
        case is SourceSpan: return .null
        case let expression as ManifestExpression:
            expressionCount += 1
            return trimmedText(of: expression.expression)
        case let template as ManifestTemplate:
            expressionCount += 1
            return .array(
                template.template.parts.map { part in
                    switch part {
                    case .literal(let text): .string(text)
                    case .expression(let embedded): .array([trimmedText(of: embedded.expression)])
                    }
                }
            )
        case let schema as JSONSchema: return schema.document
        case let json as JSON: return json
        case let object as JSONObject: return .object(object)
        case let stage as any FilterStage: return .array([.string(stage.key), reflected(stage)])
        case let body as any RequestBody: return .array([.string(body.key), reflected(body)])
        case let settings as Settings:
            return .object(JSONObject(contents(of: settings).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
        default: return reflected(value)
        }
    }

    /// The text of an expression without the blanks around it, as in `${ x }`.
    private func trimmedText(of expression: Expression) -> JSON {
        let text = expression.text.utf8.drop { $0 == UInt8(ascii: " ") }
        let blanks = text.reversed().prefix { $0 == UInt8(ascii: " ") }.count
        return .string(String(text.dropLast(blanks)) ?? expression.text)
    }

    /// The settings by their keys; those that merge by name in the order of the names.
    mutating func contents(of settings: Settings) -> [String: JSON] {
        var contents: [String: [String: [JSON]]] = [:]
        for entry in settings.entries {
            contents[entry.value.name.rawValue, default: [:]][entry.value.part ?? "", default: []]
                .append(content(of: entry))
        }
        return contents.mapValues { parts in
            .object(JSONObject(parts.sorted { $0.key < $1.key }.map { ($0.key, .array($0.value)) }))
        }
    }

    private mutating func reflected(_ value: Any) -> JSON {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional: return mirror.children.first.map { content(of: $0.value) } ?? .null
        case .collection: return list(mirror.children.map(\.value))
        case .set: return .array(sorted(mirror.children.map { content(of: $0.value) }))
        case .dictionary: return .array(sorted(mirror.children.map { content(of: $0.value) }))
        case .enum where mirror.children.isEmpty: return .string(String(describing: value))
        default:
            guard !mirror.children.isEmpty else { return .string(String(describing: value)) }
            return members(of: value, mirror)
        }
    }

    private mutating func members(of value: Any, _ mirror: Mirror) -> JSON {
        let expressionsBefore = expressionCount
        var object = JSONObject()
        var level: Level?
        for (index, child) in mirror.allChildren.enumerated() {
            let label = child.label ?? String(index)
            if Self.isLeftOut(label, of: value) { continue }
            if label == "level", let found = child.value as? Level {
                level = found
            } else {
                object[label] = content(of: child.value)
            }
        }
        // The level decides which inputs an expression sees; a literal is the same at every level.
        if let level, expressionCount > expressionsBefore { object["level"] = .string(String(describing: level)) }
        return .object(object)
    }

    /// A list; the members of a mapping in the order of their names.
    private mutating func list(_ elements: [Any]) -> JSON {
        let contents = elements.map { content(of: $0) }
        let isMapping = elements.allSatisfy { element in
            !(element is StepPlan)
                && Mirror(reflecting: element).children.contains {
                    $0.label == "name" && ($0.value is Spanned<String> || $0.value is String)
                }
        }
        return .array(isMapping ? sorted(contents) : contents)
    }

    private func sorted(_ values: [JSON]) -> [JSON] {
        values.map { (text: JSONWriter().string($0), value: $0) }.sorted { $0.text < $1.text }.map(\.value)
    }
}

extension Mirror {
    /// The children, those of superclasses first.
    fileprivate var allChildren: [Child] { (superclassMirror?.allChildren ?? []) + Array(children) }

    /// The children of what an optional contains; none of `nil`.
    fileprivate var optionalChildren: [Child] {
        guard displayStyle == .optional else { return Array(children) }
        return children.first.map { Array(Mirror(reflecting: $0.value).children) } ?? []
    }
}
