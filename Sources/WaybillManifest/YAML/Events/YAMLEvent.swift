/// What the parser found next, with places as byte offsets into the file.
struct YAMLEvent {
    /// The kinds of event that the tree is built from.
    enum Kind {
        case documentStart
        case documentEnd
        case alias
        case scalar(YAMLScalar.Style)
        case sequenceStart
        case sequenceEnd
        case mappingStart
        case mappingEnd
    }

    var kind: Kind
    /// Where the event's text begins; for a node with a tag or an anchor, where the first of those begins.
    var start: Int
    /// Where it ends. For the end of a block collection this is past comments and blank lines that follow.
    var end: Int
    /// The node's tag and anchor; most nodes have neither.
    var properties: Properties?
    /// Whether a collection is written with brackets.
    var isFlow = false

    /// The name of the node's anchor, or that an alias refers to.
    var anchor: String? { properties?.anchor }
    /// The node's tag with its handle expanded: `tag:yaml.org,2002:str` for `!!str`.
    var tag: String? { properties?.tag }

    /// What may stand before a node, behind a reference, so that the many events without it are small.
    final class Properties {
        let anchor: String?
        let tag: String?

        init(anchor: String?, tag: String?) {
            self.anchor = anchor
            self.tag = tag
        }
    }
}

/// Why the parser could not go on, in the parser's own words; `SyntaxFinding` says it in ours.
struct YAMLFailure {
    /// What was found or missed: `did not find expected key`.
    var problem: String
    /// Where it was noticed.
    var problemOffset: Int
    /// What was being read: `while parsing a block mapping`.
    var context: String
    /// Where that began.
    var contextOffset: Int
}
