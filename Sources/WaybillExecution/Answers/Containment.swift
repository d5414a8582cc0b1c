import WaybillJSON

/// Whether a value contains another: members of objects at least those wanted, lists element by element.
enum Containment {
    /// What is different, as the end of a sentence that begins with the value; `nil` when it contains what is wanted.
    static func difference(of found: JSON, from wanted: JSON, at place: String = "") -> String? {
        let at = place.isEmpty ? "" : "at \(place) "
        switch (found, wanted) {
        case (.object(let object), .object(let members)):
            for (name, value) in members {
                guard let inner = object[name] else { return "\(at)has no '\(name)'" }
                if let difference = difference(of: inner, from: value, at: "\(place).\(name)") { return difference }
            }
            return nil
        case (.array(let elements), .array(let values)):
            guard elements.count == values.count else {
                return "\(at)has \(elements.count) elements, not \(values.count)"
            }
            for (index, (element, value)) in zip(elements, values).enumerated() {
                if let difference = difference(of: element, from: value, at: "\(place)[\(index)]") { return difference }
            }
            return nil
        default:
            guard found != wanted else { return nil }
            return "\(at)is \(shown(found)), not \(shown(wanted))"
        }
    }

    private static func shown(_ value: JSON) -> String {
        let text = JSONWriter().string(value)
        return text.count <= 120 ? text : text.prefix(120) + "…"
    }
}
