import WaybillDiagnostics
import WaybillJSON
import WaybillManifest

/// Compares a value with one that it must contain: objects may have more members, lists must have the same length.
struct Containment {
    /// A value that is different from the one wanted, or missing.
    struct Difference {
        /// Where the value is.
        let path: [Component]
        /// What is different, as the predicate of a sentence whose subject is the whole value.
        let message: String
    }

    /// A part of the path to a value.
    enum Component {
        /// The member with a name.
        case member(String)
        /// The element at an index.
        case element(Int)
    }

    /// The first differences, at most the limit.
    private(set) var differences: [Difference] = []
    /// The number of all differences.
    private(set) var count = 0
    private let limit: Int

    /// Compares a value with one that it must contain.
    ///
    /// - Parameter limit: The maximum number of differences that are described.
    init(of found: JSON, from wanted: JSON, limit: Int) {
        self.limit = limit
        var path: [Component] = []
        compare(found, wanted, at: &path)
    }

    private mutating func compare(_ found: JSON, _ wanted: JSON, at path: inout [Component]) {
        switch (found, wanted) {
        case (.object(let object), .object(let members)):
            for (name, value) in members {
                if let inner = object[name] {
                    path.append(.member(name))
                    compare(inner, value, at: &path)
                    path.removeLast()
                } else {
                    add("has no '\(name)'", at: path, of: .member(name))
                }
            }
        case (.array(let elements), .array(let values)):
            guard elements.count == values.count else {
                return add("has \(elements.count) elements, not \(values.count)", at: path)
            }
            for (index, (element, value)) in zip(elements, values).enumerated() {
                path.append(.element(index))
                compare(element, value, at: &path)
                path.removeLast()
            }
        default:
            if found != wanted { add("is \(Self.shown(found)), not \(Self.shown(wanted))", at: path) }
        }
    }

    private mutating func add(
        _ predicate: @autoclosure () -> String,
        at path: [Component],
        of missing: Component? = nil
    ) {
        count += 1
        guard differences.count < limit else { return }
        let place = path.map(\.description).joined()
        let message = place.isEmpty ? predicate() : "at \(place) \(predicate())"
        differences.append(Difference(path: path + [missing].compactMap { $0 }, message: message))
    }

    private static func shown(_ value: JSON) -> String {
        let text = JSONWriter().string(value)
        return text.count <= 120 ? text : text.prefix(120) + "…"
    }
}

extension Containment.Component: CustomStringConvertible {
    var description: String {
        switch self {
        case .member(let name): ".\(name)"
        case .element(let index): "[\(index)]"
        }
    }
}

extension ValueTemplate {
    /// The location of the value at a path, with its name where it has one; where a template evaluates to more than
    /// that value, the location of the template.
    func span(at path: [Containment.Component]) -> SourceSpan {
        var value = self
        var location = span
        for component in path {
            switch (component, value) {
            case (.member(let name), .mapping(let members, _)):
                guard let member = members.last(where: { $0.name.value == name }) else { return location }
                value = member.value
                if case .scalar = value {
                    location = member.name.span.through(value.span)
                } else {
                    location = member.name.span
                }
            case (.element(let index), .list(let elements, _)) where elements.indices.contains(index):
                value = elements[index]
                location = value.span
            default: return location
            }
        }
        return location
    }
}
