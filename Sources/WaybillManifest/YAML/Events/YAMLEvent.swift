/// An event of the parser, with locations as byte offsets into the file.
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
    /// The start of the event; for a node with a tag or an anchor, the start of the first of those.
    var start: Int
    /// The end of the event. For the end of a block collection, this is after comments and blank lines that follow.
    var end: Int
    /// Whether a collection is written with brackets.
    var isFlow = false
    /// The name of the node's anchor, or of the anchor that an alias refers to.
    var anchor: String?
    /// The node's tag with its handle expanded: `tag:yaml.org,2002:str` for `!!str`.
    var tag: String?
}

/// Why the parser stopped, in libyaml's words; `SyntaxError` translates them.
struct YAMLFailure {
    /// What was found or is missing: `did not find expected key`.
    var problem: String
    /// Where the problem was detected.
    var problemOffset: Int
    /// What was being read: `while parsing a block mapping`.
    var context: String
    /// The start of the context.
    var contextOffset: Int
}
