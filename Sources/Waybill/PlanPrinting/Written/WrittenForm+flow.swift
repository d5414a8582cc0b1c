import WaybillDiagnostics
import WaybillJSON
import WaybillManifest

/// When, how often and after what a step is done, each as the keys of a step have it.
extension WrittenForm {
    func value(_ forEach: ForEach) -> JSON {
        let elements: JSON =
            switch forEach.elements {
            case .expression(let expression): .string(text(expression))
            case .list(let elements): .array(elements.map(value))
            }
        return .object(
            .present([
                ("in", elements),
                ("as", .string(text(forEach.variable.value))),
                ("concurrency", forEach.concurrency.map { .count($0.value) }),
            ])
        )
    }

    func value(_ until: Until) -> JSON {
        .object(
            .present([
                ("that", .string(text(until.that))),
                ("every", until.every.map { .string(text($0)) }),
                ("times", until.times.map { .count($0) }),
                ("within", until.within.map { .string(text($0)) }),
                (
                    "fail",
                    until.fail.map { when, message in
                        .object(
                            .present([("when", .string(text(when))), ("message", message.map { .string(text($0)) })])
                        )
                    }
                ),
            ])
        )
    }

    func value(_ pagination: Pagination) -> JSON {
        let way: (String, JSON) =
            switch pagination.way {
            case .next(let expression): ("next", .string(text(expression)))
            case .link: ("link", true)
            case .page(let place, let start): ("page", value(place, ("start", .count(start))))
            case .offset(let place, let limit): ("offset", value(place, ("limit", .count(limit))))
            case .cursor(let place, let from): ("cursor", value(place, ("from", .string(text(from)))))
            }
        return .object(
            .present([
                way,
                ("items", pagination.items.map { .string(text($0)) }),
                ("max", pagination.max.map { .count($0) }),
                ("while", pagination.condition.map { .string(text($0)) }),
            ])
        )
    }

    private func value(_ place: Pagination.Place, _ detail: (String, JSON)) -> JSON {
        let key = if case .input = place { "input" } else { "query" }
        return .object(.present([(key, .string(text(place.name.value))), detail]))
    }

    func value(_ sink: Sink) -> JSON {
        let columns = sink.columns.map { column -> JSON in
            guard let value = column.value else { return .string(text(column.name.value)) }
            return .object(JSONObject([(name: text(column.name.value), value: .string(text(value)))]))
        }
        return .object(
            .present([
                ("to", .string(text(sink.to))),
                ("format", sink.format.map { .string($0.rawValue) }),
                ("records", sink.records.map { .string(text($0)) }),
                ("columns", columns.isEmpty ? nil : .array(columns)),
            ])
        )
    }
}
