extension HTTPRequest.Body {
    /// Whether any of it is read from a file.
    package var hasFiles: Bool {
        switch self {
        case .none, .bytes: false
        case .file: true
        case .parts(let parts):
            parts.contains { part in
                if case .file = part { true } else { false }
            }
        }
    }

    /// How many bytes there are to send; of files as they are now. Nil where one cannot be looked at.
    package var size: Int? {
        switch self {
        case .none: 0
        case .bytes(let bytes): bytes.count
        case .file(let file): try? BodyPlan([.file(file)]).count
        case .parts(let parts): try? BodyPlan(parts).count
        }
    }
}
