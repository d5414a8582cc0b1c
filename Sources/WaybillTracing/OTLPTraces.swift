import WaybillFormats
import WaybillResults
import WaybillRuntime

/// Spans as an `ExportTraceServiceRequest` of OTLP, in its JSON encoding: ids in hexadecimal, enumerations as integers,
/// 64-bit integers as strings.
struct OTLPTraces: JSONStreamable {
    /// What the spans are of: the attributes of the resource.
    let resource: [SpanAttribute]
    /// The trace of the spans.
    let trace: TraceID
    /// The spans.
    let spans: [Span]

    func addMembers(to object: inout JSONStream) {
        object.add("resourceSpans", each: [ResourceSpans(traces: self)])
    }
}

private struct ResourceSpans: JSONStreamable {
    let traces: OTLPTraces

    func addMembers(to object: inout JSONStream) {
        object.add("resource", Attributes(list: traces.resource))
        object.add("scopeSpans", each: [ScopeSpans(traces: traces)])
    }
}

private struct ScopeSpans: JSONStreamable {
    let traces: OTLPTraces

    func addMembers(to object: inout JSONStream) {
        object.add("scope", Scope())
        let trace = traces.trace.description
        object.add("spans", each: traces.spans.map { SpanObject(trace: trace, span: $0) })
    }
}

private struct Scope: JSONStreamable {
    func addMembers(to object: inout JSONStream) {
        object.add("name", "waybill")
        object.add("version", WaybillVersion.current)
    }
}

private struct Attributes: JSONStreamable {
    let list: [SpanAttribute]

    func addMembers(to object: inout JSONStream) {
        object.add("attributes", each: list)
    }
}

private struct SpanObject: JSONStreamable {
    let trace: String
    let span: Span

    func addMembers(to object: inout JSONStream) {
        object.add("traceId", trace)
        object.add("spanId", span.id.description)
        object.add("parentSpanId", span.parent?.description)
        object.add("name", span.name)
        // INTERNAL or CLIENT.
        object.add("kind", span.isClient ? 3 : 1)
        object.add("startTimeUnixNano", String(span.start.nanoseconds))
        object.add("endTimeUnixNano", String(span.end.nanoseconds))
        if !span.attributes.isEmpty { object.add("attributes", each: span.attributes) }
        if !span.events.isEmpty { object.add("events", each: span.events) }
        if span.hasFailed { object.add("status", Status(message: span.message)) }
    }
}

/// The status of a span that failed.
private struct Status: JSONStreamable {
    let message: String?

    func addMembers(to object: inout JSONStream) {
        object.add("message", message)
        // ERROR.
        object.add("code", 2)
    }
}

extension Span.Event: JSONStreamable {
    func addMembers(to object: inout JSONStream) {
        object.add("timeUnixNano", String(at.nanoseconds))
        object.add("name", name)
        object.add("attributes", each: attributes)
    }
}

extension SpanAttribute: JSONStreamable {
    func addMembers(to object: inout JSONStream) {
        object.add("key", key)
        object.add("value", value)
    }
}

extension SpanAttribute.Value: JSONStreamable {
    func addMembers(to object: inout JSONStream) {
        switch self {
        case .string(let text): object.add("stringValue", text)
        case .integer(let number): object.add("intValue", String(number))
        case .boolean(let value): object.add("boolValue", value)
        }
    }
}
