extension Diagnostic {
    /// The headline with what is said at its place, for readers who do not see the place.
    package var statement: String {
        guard let label = primary?.text, !label.isEmpty else { return headline }
        return "\(headline) (\(label))"
    }
}
