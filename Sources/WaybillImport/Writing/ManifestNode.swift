import WaybillFormats
import WaybillJSON

/// A value of a manifest to write, with comments.
package indirect enum ManifestNode: Sendable, Equatable {
    /// A template where YAML's other types are sent as they are written, such as a header field: `1.10` needs no quotes.
    case text(Template)
    /// A template, quoted where YAML would read another type.
    case string(Template)
    /// A string where a manifest has no templates, such as an id, an expression or a description; quoted in the same way.
    case plain(String)
    /// A number, boolean or null, as YAML and JSON write it.
    case literal(String)
    /// Names and values. An open one is never written in braces.
    case map([ManifestEntry], isOpen: Bool = false)
    /// Values; their entries have no names.
    case list([ManifestEntry], isOpen: Bool = false)

    /// A map of names and values.
    static func map(_ entries: (String, ManifestNode)...) -> ManifestNode {
        .map(entries.map { ManifestEntry($0.0, $0.1) })
    }

    /// A list of values.
    static func list(of values: [ManifestNode]) -> ManifestNode {
        .list(values.map { ManifestEntry(nil, $0) })
    }

    /// A duration in seconds: `250ms`, `1.5s`, `1m`.
    static func duration(_ seconds: Double) -> ManifestNode {
        let milliseconds = Int((min(max(seconds, 0), 1e9) * 1000).rounded(.up))
        return .literal(
            milliseconds % 60_000 == 0 ? "\(milliseconds / 60_000)m" : Duration.milliseconds(milliseconds).words
        )
    }

    /// A value of JSON where a manifest has no templates; its strings are converted.
    init(_ json: JSON, _ convert: (String) -> String) {
        switch json {
        case .null: self = .literal("null")
        case .bool(let value): self = .literal(value ? "true" : "false")
        case .number: self = .literal(JSONWriter().string(json))
        case .string(let text): self = .plain(convert(text))
        case .bytes(let bytes): self = .plain(String(decoding: bytes, as: UTF8.self))
        case .array(let elements): self = .list(of: elements.map { ManifestNode($0, convert) })
        case .object(let members):
            self = .map(members.map { ManifestEntry($0.name, ManifestNode($0.value, convert)) })
        }
    }

    /// Returns the value with all of its texts changed.
    func map(_ change: (String) -> String) -> ManifestNode {
        switch self {
        case .text(let template): return .text(template.map(change))
        case .string(let template): return .string(template.map(change))
        case .plain(let text): return .plain(change(text))
        case .literal(let text): return change(text) == text ? self : .plain(change(text))
        case .map(let entries, let isOpen): return .map(entries.map { $0.map(change) }, isOpen: isOpen)
        case .list(let entries, let isOpen): return .list(entries.map { $0.map(change) }, isOpen: isOpen)
        }
    }

    /// The string as it is written; nil for a literal, a map or a list.
    var written: String? {
        switch self {
        case .text(let template), .string(let template): template.written
        case .plain(let text): text
        case .literal, .map, .list: nil
        }
    }

    /// Whether it is a map or list without entries.
    var isEmpty: Bool {
        switch self {
        case .map(let entries, _), .list(let entries, _): entries.isEmpty
        default: false
        }
    }
}

/// A name and a value, or an element of a list, after comments.
package struct ManifestEntry: Sendable, Equatable {
    /// The name; nil in a list.
    package var name: String?
    /// The value; nil if there are only comments.
    package var value: ManifestNode?
    /// The lines before it, without `#`.
    package var comments: [String] = []

    /// Creates an entry.
    package init(_ name: String?, _ value: ManifestNode, comments: [String] = []) {
        self.name = name
        self.value = value
        self.comments = comments
    }

    /// Creates comments at the end of a map or list.
    package init(comments: [String]) { self.comments = comments }

    /// Returns the entry with all of its texts changed.
    func map(_ change: (String) -> String) -> ManifestEntry {
        var result = ManifestEntry(comments: comments.map(change))
        (result.name, result.value) = (name.map(change), value.map { $0.map(change) })
        return result
    }
}
