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
        let trace = trace.description
        let scopeSpans = Members { object in
            object.add(
                "scope",
                Members { scope in
                    scope.add("name", "waybill")
                    scope.add("version", WaybillVersion.current)
                }
            )
            object.add("spans", each: spans.map { SpanObject(trace: trace, span: $0) })
        }
        let resourceSpans = Members { object in
            object.add("resource", Members { $0.add("attributes", each: resource) })
            object.add("scopeSpans", each: [scopeSpans])
        }
        object.add("resourceSpans", each: [resourceSpans])
    }
}

/// An object whose members a function adds.
private struct Members: JSONStreamable {
    let add: (inout JSONStream) -> Void

    func addMembers(to object: inout JSONStream) { add(&object) }
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
        guard span.hasFailed else { return }
        object.add(
            "status",
            Members { status in
                status.add("message", span.message)
                // ERROR.
                status.add("code", 2)
            }
        )
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
