import WaybillJSON

/// The words of a server about its own failure.
enum ServerMessage {
    /// The server's message in the body of a failed response, where servers usually put it (RFC 9457 and common
    /// practice).
    static func find(in body: JSON) -> String? {
        guard case .object(let object) = body else {
            return body.string.flatMap { $0.isEmpty || $0.hasPrefix("<") ? nil : shortened($0) }
        }
        if case .object(let inner)? = object["error"], let words = find(in: .object(inner)) { return words }
        for name in ["message", "detail", "error_description", "description", "title", "error", "errorMessage"] {
            if let words = object[name]?.string, !words.isEmpty { return shortened(words) }
        }
        return nil
    }

    private static func shortened(_ text: String) -> String {
        text.count <= 300 ? text : text.prefix(300) + "…"
    }
}
