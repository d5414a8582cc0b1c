/// What is made of an answer.
extension Settings {
    /// The media ranges that an answer may have; `nil` inside: any.
    package var accept: Setting<[MediaRange]?>? {
        last(.accept) { if case .accept(let value) = $0 { value } else { nil } }
    }
    /// How an answer is decoded.
    package var decoding: Setting<Decoding>? {
        last(.decoding) { if case .decoding(let value) = $0 { value } else { nil } }
    }
    /// Whether compressed answers are asked for.
    package var compression: Setting<Bool>? {
        last(.compression) { if case .compression(let value) = $0 { value } else { nil } }
    }
    /// The largest answer that is read, in bytes after decompression.
    package var maxBody: Setting<Int>? { last(.maxBody) { if case .maxBody(let value) = $0 { value } else { nil } } }
    /// What is done before and after success and failure.
    package var intercept: Setting<Interception>? {
        last(.intercept) { if case .intercept(let value) = $0 { value } else { nil } }
    }

    /// Words of the manifest for sorts of failure.
    package var messages: [MessageOption.Name: Setting<MessageOption>] {
        var messages: [MessageOption.Name: Setting<MessageOption>] = [:]
        for entry in entries {
            guard case .message(let name, let option?) = entry.value else { continue }
            messages[name] = entry.map { _ in option }
        }
        return messages
    }
    /// Whether everything about the request is told.
    package var debug: Setting<Bool>? { last(.debug) { if case .debug(let value) = $0 { value } else { nil } } }

    /// Filters that are applied to the decoded response.
    package var filters: [Setting<FilterEntry>] {
        all { entry in
            guard case .filter(let filter) = entry.value else { return nil }
            return entry.map { _ in filter }
        }
    }

    /// The statuses that are expected.
    package var expectedStatus: Setting<[StatusTemplate]>? {
        last(.expect) { if case .expectStatus(let value) = $0 { value } else { nil } }
    }

    /// What an answer must be.
    package var expect: Expectation {
        var expectation = Expectation()
        for entry in entries {
            switch entry.value {
            case .expectStatus(let value): expectation.status = entry.map { _ in value }
            case .expectHeader(let name, let glob): expectation.headers.append((name, entry.map { _ in glob }))
            case .expectJSON(let value): expectation.json = entry.map { _ in value }
            case .expectBody(let check): expectation.body.append(entry.map { _ in check })
            case .expectTime(let value): expectation.maxTime = entry.map { _ in value }
            case .expectSchema(let value): expectation.schema = entry.map { _ in value }
            default: break
            }
        }
        return expectation
    }
}

/// How an answer is decoded.
package enum Decoding: String, Sendable, CaseIterable {
    /// By its `Content-Type`.
    case auto
    /// As JSON (RFC 8259).
    case json
    /// As one JSON value a line.
    case ndjson
    /// As comma-separated values with a header row (RFC 4180).
    case csv
    /// As a property list, in XML or binary.
    case plist
    /// As text.
    case text
    /// Not at all: the data is the body in base64.
    case bytes
}
