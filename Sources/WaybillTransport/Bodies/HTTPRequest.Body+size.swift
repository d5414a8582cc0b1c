extension HTTPRequest.Body {
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
