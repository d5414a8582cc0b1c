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
    /// The value of a scalar, or the name that an alias refers to.
    var text = ""
    /// The name of the node's anchor.
    var anchor: String?
    /// The node's tag with its handle expanded: `tag:yaml.org,2002:str` for `!!str`.
    var tag: String?
    /// Whether a collection is written with brackets.
    var isFlow = false
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
