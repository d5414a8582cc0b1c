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
    let spans: [Span]

    func addMembers(to object: inout JSONStream) {
        object.add("resourceSpans", each: [resource]) { resource, object in
            object.add("resource") { $0.add("attributes", each: resource) }
            object.add("scopeSpans", each: [spans]) { spans, object in
                object.add("scope") { scope in
                    scope.add("name", "waybill")
                    scope.add("version", WaybillVersion.current)
                }
                let trace = trace.description
                object.add("spans", each: spans) { span, object in
                    object.add("traceId", trace)
                    span.addMembers(to: &object)
                }
            }
        }
    }
}

extension Span: JSONStreamable {
    func addMembers(to object: inout JSONStream) {
        object.add("spanId", id.description)
        object.add("parentSpanId", parent?.description)
        object.add("name", name)
        // INTERNAL or CLIENT.
        object.add("kind", isClient ? 3 : 1)
        object.add("startTimeUnixNano", String(start.nanoseconds))
        object.add("endTimeUnixNano", String(end.nanoseconds))
        if !attributes.isEmpty { object.add("attributes", each: attributes) }
        if !events.isEmpty { object.add("events", each: events) }
        guard hasFailed else { return }
        object.add("status") { status in
            status.add("message", message)
            // ERROR.
            status.add("code", 2)
        }
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
