import ArgumentParser

/// The format of a list that a command prints.
enum ListFormat: String, ExpressibleByArgument, CaseIterable {
    /// Text for people.
    case text
    /// A JSON document.
    case json
}
