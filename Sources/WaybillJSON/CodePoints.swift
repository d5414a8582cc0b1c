/// A string as a key of dictionaries and sets that is compared by code points, as names in JSON and YAML are.
///
/// `String` also takes canonical equivalents as equal, and gives them one hash: a text with thousands of them as names
/// would make a table of strings as slow as a list.
package struct CodePoints: Hashable, Sendable {
    private let text: String

    /// A string to be compared by its code points.
    package init(_ text: String) {
        self.text = text
    }

    package static func == (left: CodePoints, right: CodePoints) -> Bool {
        left.text.hasSameCodePoints(as: right.text)
    }

    package func hash(into hasher: inout Hasher) {
        text.hashCodePoints(into: &hasher)
    }
}
