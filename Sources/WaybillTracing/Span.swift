import WaybillFormats
import WaybillResults

/// A part of a run with its times, as OpenTelemetry defines it.
struct Span: Sendable, Equatable {
    /// The id of the span.
    let id: SpanID
    /// The span that contains it; `nil` for that of a run that is not part of another trace.
    var parent: SpanID?
    /// The name, which many spans share.
    var name: String
    /// Whether the span is that of a request to a server.
    var isClient = false
    /// When it started.
    let start: Timestamp
    /// When it ended; the start until then.
    var end: Timestamp
    /// Its properties.
    var attributes: [SpanAttribute] = []
    /// What happened in it.
    var events: [Event] = []
    var hasFailed = false
    /// Why it failed, if the attributes do not say it.
    var message: String?

    /// Something that happened at one time in a span.
    struct Event: Sendable, Equatable {
        var name: String
        /// When it happened.
        var at: Timestamp
        /// Its properties.
        var attributes: [SpanAttribute]
    }

    /// Creates a span that starts at a time.
    init(_ id: SpanID, in parent: SpanID?, _ name: String, at start: Timestamp) {
        self.id = id
        self.parent = parent
        self.name = name
        self.start = start
        end = start
    }

    /// Adds an attribute, unless its value is `nil`.
    mutating func add(_ key: String, _ value: String?) {
        if let value { attributes.append(SpanAttribute(key, .string(value))) }
    }

    /// Adds an attribute, unless its value is `nil`.
    mutating func add(_ key: String, _ value: Int?) {
        if let value { attributes.append(SpanAttribute(key, .integer(value))) }
    }
}

/// A property of a span, of an event or of what is observed.
struct SpanAttribute: Sendable, Equatable {
    /// The values that are used of those that OpenTelemetry allows.
    enum Value: Sendable, Equatable {
        case string(String)
        case integer(Int)
        case boolean(Bool)
    }

    /// The name, from OpenTelemetry's semantic conventions or starting with `waybill.`.
    let key: String
    let value: Value

    init(_ key: String, _ value: Value) {
        self.key = key
        self.value = value
    }
}
