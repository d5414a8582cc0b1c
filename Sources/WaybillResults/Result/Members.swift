import WaybillData
import WaybillDiagnostics

/// The members of a JSON object while it is put together: what is `nil` is left out.
struct Members {
    private var object = JSONObject()

    /// The object with all that was added.
    var json: JSON { .object(object) }

    mutating func add(_ name: String, _ value: JSON?) {
        guard let value else { return }
        object[name] = value
    }

    mutating func add(_ name: String, _ text: String?) {
        add(name, text.map(JSON.string))
    }

    mutating func add(_ name: String, _ text: RedactedText?) {
        add(name, text?.string)
    }

    mutating func add(_ name: String, _ number: Int?) {
        add(name, number.map { JSON.number(JSONNumber($0)) })
    }

    mutating func add(_ name: String, _ moment: Timestamp?) {
        add(name, moment?.description)
    }

    /// A duration, as milliseconds to the microsecond.
    mutating func add(_ name: String, milliseconds duration: Duration?) {
        guard let duration else { return }
        let (seconds, attoseconds) = duration.components
        let microseconds = Double(seconds) * 1e6 + Double(attoseconds / 1_000_000_000_000)
        add(name, JSONNumber(microseconds / 1e3).map(JSON.number))
    }

    /// The place of a span, as `file`, `line` and `column`.
    mutating func add(_ span: SourceSpan?) {
        guard let span else { return }
        let start = span.start
        add("file", span.file.name)
        add("line", start.line)
        add("column", start.column)
    }

    /// All members of another object.
    mutating func add(contentsOf json: JSON) {
        for (name, value) in json.object ?? JSONObject() { add(name, value) }
    }
}
