import WaybillDiagnostics

/// Builds the tree from events, with a stack of its own instead of recursion, and stops at the limits.
struct YAMLTreeBuilder {
    let file: SourceFile
    /// The documents that are complete.
    private(set) var documents: [YAMLNode] = []
    var findings: [Diagnostic] = []

    private let limits: YAMLReader.Limits
    private let isSingleDocument: Bool

    private var frames: [Frame] = []
    private var anchors: [String: Anchor] = [:]
    /// How many values there are so far, aliases followed.
    private var nodeCount = 0

    /// A collection whose end has not come yet.
    private struct Frame {
        var isMapping: Bool
        var isFlow: Bool
        /// Where the collection itself begins, behind its tag and anchor.
        var start: Int
        /// Where the last child ends.
        var end: Int
        /// The children that are complete; keys and values in turn for a mapping.
        var children: [YAMLNode] = []
        /// `nodeCount` when it began.
        var countBefore: Int
        /// How many levels there are inside.
        var height = 0
        /// The name of its anchor, and where that stands.
        var anchor: (name: String, start: Int)?
        var properties: YAMLProperties?
    }

    /// What an alias stands for.
    private struct Anchor {
        /// Tells apart anchors of one name.
        var start: Int
        /// The node, once it is complete.
        var node: YAMLNode?
        /// How many values it is, aliases followed.
        var nodeCount = 0
        var height = 0
    }

    /// The last value that is complete.
    var lastValue: YAMLNode? { frames.last { !$0.children.isEmpty }?.children.last ?? documents.last }

    init(file: SourceFile, limits: YAMLReader.Limits, isSingleDocument: Bool) {
        self.file = file
        self.limits = limits
        self.isSingleDocument = isSingleDocument
    }

    /// Takes the next event.
    ///
    /// - Returns: whether reading should go on.
    mutating func take(_ event: YAMLEvent) -> Bool {
        switch event.kind {
        case .documentStart: startDocument(event)
        case .documentEnd: true
        case .scalar(let style): addScalar(event, style)
        case .alias: addAlias(event)
        case .sequenceStart: open(event, isMapping: false)
        case .mappingStart: open(event, isMapping: true)
        case .sequenceEnd, .mappingEnd: close(event)
        }
    }

    private mutating func startDocument(_ event: YAMLEvent) -> Bool {
        anchors.removeAll()
        guard isSingleDocument, !documents.isEmpty else { return true }
        return stop(
            Diagnostic(
                "several-documents",
                "a second document begins here, where the file may hold only one",
                at: file.span(event.start..<event.end),
                help: ["Put it into a file of its own, or take the '---' out."]
            )
        )
    }

    // MARK: Scalars and aliases

    private mutating func addScalar(_ event: YAMLEvent, _ style: YAMLScalar.Style) -> Bool {
        var (start, end) = (event.start, event.end)
        var properties: YAMLProperties?
        var tag: YAMLScalar.Tag?
        if start == end {
            (start, end) = placeOfNothing(at: start)
        } else if PropertyScanner.begins(at: start, in: file) {
            (properties, start) = PropertyScanner.scan(event, in: file)
        }
        if style == .literal || style == .folded {
            end = BlockScalarSegments.end(of: start..<end, in: file.bytes)
        }
        let span = file.span(start..<end)
        if let written = properties?.tag {
            let check = TagCheck(written, expanded: event.tag)
            tag = check.scalarTag(for: event.text)
            if let finding = check.findingForScalar(event.text, at: span) { findings.append(finding) }
        }
        let node = YAMLNode(text: event.text, style: style, tag: tag, span: span, properties: properties)
        let count = 1 + event.text.utf8.count / 1024
        guard grow(by: count, at: start..<end) else { return false }
        if let anchor = event.anchor { anchors[anchor] = Anchor(start: event.start, node: node, nodeCount: count) }
        add(node, end: end, height: 0)
        return findings.count < limits.maximumFindings
    }

    /// Where a value stands that is not written at all: behind its `:` or `-`, or else behind the key that lacks one.
    ///
    /// libyaml gives the place of the next token where that is not a block's.
    private func placeOfNothing(at offset: Int) -> (Int, Int) {
        // The frame itself is not copied here: its children would be copied when the next one is added.
        guard let end = frames.last?.end, offset > end, frames.last?.children.isEmpty == false else {
            return (offset, offset)
        }
        let before = file.bytes[offset - 1]
        if before == UInt8(ascii: ":") || before == UInt8(ascii: "-") { return (offset, offset) }
        let next = PropertyScanner.skippingSpace(from: end, in: file.bytes)
        let place = next < offset && file.bytes[next] == UInt8(ascii: ":") ? next + 1 : end
        return (place, place)
    }

    private mutating func addAlias(_ event: YAMLEvent) -> Bool {
        let span = file.span(event.start..<event.end)
        guard let anchor = anchors[event.text] else {
            return addBroken(
                Diagnostic(
                    "unknown-alias",
                    "no anchor '&\(event.text.shortened)' stands before this alias",
                    at: span,
                    help: ["A text that begins with '*' must be quoted: '*\(event.text.shortened)'."]
                )
            )
        }
        guard let node = anchor.node else {
            return addBroken(
                Diagnostic(
                    "recursive-alias",
                    "the value of '&\(event.text.shortened)' contains itself",
                    at: span,
                    secondary: [.init(file.span(anchor.start..<anchor.start + 1), "the anchor")]
                )
            )
        }
        guard frames.count + anchor.height <= limits.maximumDepth else { return stop(tooDeep(at: span)) }
        guard grow(by: anchor.nodeCount, at: event.start..<event.end) else { return false }
        add(node, end: event.end, height: anchor.height)
        return true
    }

    /// Puts a null where an alias leads nowhere, so that the rest can be read.
    private mutating func addBroken(_ finding: Diagnostic) -> Bool {
        findings.append(finding)
        if let span = finding.primary?.span {
            add(YAMLNode(text: "", style: .plain, tag: nil, span: span), end: span.range.upperBound, height: 0)
        }
        return findings.count < limits.maximumFindings
    }

    // MARK: Collections

    private mutating func open(_ event: YAMLEvent, isMapping: Bool) -> Bool {
        var start = event.start
        var properties: YAMLProperties?
        if event.tag != nil || event.anchor != nil {
            (properties, start) = PropertyScanner.scan(event, in: file)
            if let written = properties?.tag {
                let check = TagCheck(written, expanded: event.tag)
                if let finding = check.findingForCollection(isMapping: isMapping) { findings.append(finding) }
            }
        }
        guard frames.count < limits.maximumDepth else { return stop(tooDeep(at: file.span(start..<start + 1))) }
        if let anchor = event.anchor { anchors[anchor] = Anchor(start: event.start) }
        let countBefore = nodeCount
        guard grow(by: 1, at: start..<start + 1) else { return false }
        frames.append(
            Frame(
                isMapping: isMapping,
                isFlow: event.isFlow,
                start: start,
                end: start,
                countBefore: countBefore,
                anchor: event.anchor.map { ($0, event.start) },
                properties: properties
            )
        )
        return true
    }

    private mutating func close(_ event: YAMLEvent) -> Bool {
        guard let frame = frames.popLast() else { return true }
        // Only a closing bracket has a width; everything else ends where its last child does.
        let end = frame.isFlow && event.end > event.start ? event.end : max(frame.end, frame.start)
        let span = file.span(frame.start..<end)
        let node: YAMLNode
        if frame.isMapping {
            var keys = MappingKeys(file: file)
            let mapping = keys.mapping(of: frame.children)
            findings += keys.findings
            node = YAMLNode(mapping: mapping, span: span, properties: frame.properties)
        } else {
            node = YAMLNode(sequence: frame.children, span: span, properties: frame.properties)
        }
        // A later anchor of the same name inside has taken the name over.
        if let (name, start) = frame.anchor, anchors[name]?.start == start {
            let count = nodeCount - frame.countBefore
            anchors[name] = Anchor(start: start, node: node, nodeCount: count, height: frame.height + 1)
        }
        add(node, end: end, height: frame.height + 1)
        return findings.count < limits.maximumFindings
    }

    private mutating func add(_ node: consuming YAMLNode, end: Int, height: Int) {
        guard !frames.isEmpty else {
            documents.append(node)
            return
        }
        let last = frames.count - 1
        frames[last].children.append(node)
        frames[last].end = end
        frames[last].height = max(frames[last].height, height)
    }

    // MARK: Limits

    /// Counts values, and stops when there are too many.
    private mutating func grow(by count: Int, at range: Range<Int>) -> Bool {
        nodeCount += count
        guard nodeCount > limits.maximumNodes else { return true }
        let span = file.span(range)
        let isAlias = range.lowerBound < file.bytes.count && file.bytes[range.lowerBound] == UInt8(ascii: "*")
        return stop(
            isAlias
                ? Diagnostic(
                    "alias-growth",
                    "with this alias the document grows beyond \(limits.maximumNodes) values",
                    at: span,
                    label: "stands for \(count) values"
                )
                : Diagnostic("too-large", "the document has more than \(limits.maximumNodes) values", at: span)
        )
    }

    private func tooDeep(at span: SourceSpan) -> Diagnostic {
        Diagnostic("too-deep", "the values are nested more than \(limits.maximumDepth) levels deep", at: span)
    }

    private mutating func stop(_ finding: Diagnostic) -> Bool {
        findings.append(finding)
        return false
    }
}
