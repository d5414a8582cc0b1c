import WaybillDiagnostics
import WaybillJSON

/// Builds the tree from events, with an explicit stack instead of recursion, and stops at the limits.
struct YAMLTreeBuilder {
    let file: SourceFile
    /// The complete values.
    var values = ValueTree()
    /// The styles and locations of the values.
    private(set) var marks: [YAMLTree.Mark] = []
    private var properties: [ValueTree.Index: YAMLProperties] = [:]
    /// The complete documents.
    private var documents: [ValueTree.Index] = []
    var diagnostics: [Diagnostic] = []

    private let limits: YAMLReader.Limits
    private let isSingleDocument: Bool

    private var frames: [Frame] = []
    /// The complete children of all frames, those of outer frames first; for mappings, alternating keys and values.
    private var children: [ValueTree.Index] = []
    private var anchors: [String: Anchor] = [:]
    /// The number of values so far, with aliases expanded.
    private var nodeCount = 0

    /// A collection whose end has not been reached yet.
    private struct Frame {
        var isMapping: Bool
        var isFlow: Bool
        /// The start of the collection itself, after its tag and anchor.
        var start: Int
        /// The end of the last child.
        var end: Int
        /// The start of its children among those of all frames.
        var childrenStart: Int
        /// `nodeCount` when the collection started.
        var countBefore: Int
        /// The number of levels inside.
        var height = 0
        /// The start of its tag and anchor, if it has any.
        var propertiesStart: Int
        var properties: YAMLProperties?
    }

    /// An anchor, which aliases refer to.
    private struct Anchor {
        /// The offset of the anchor, which distinguishes anchors with the same name.
        var start: Int
        /// The node, once it is complete.
        var node: ValueTree.Index?
        /// The number of values in the node, with aliases expanded.
        var nodeCount = 0
        var height = 0
    }

    init(file: SourceFile, limits: YAMLReader.Limits, isSingleDocument: Bool) {
        self.file = file
        self.limits = limits
        self.isSingleDocument = isSingleDocument
        values.reserve(forBytes: file.bytes.count)
        marks.reserveCapacity(ValueTree.likelyValues(inBytes: file.bytes.count))
    }

    /// Returns the complete documents and the last complete value.
    func finished() -> (documents: [YAMLNode], lastValue: YAMLNode?) {
        let tree = YAMLTree(file: file, values: values, marks: marks, properties: properties)
        let last = children.last ?? documents.last
        return (documents.map { YAMLNode(tree: tree, index: $0) }, last.map { YAMLNode(tree: tree, index: $0) })
    }

    /// Returns the location of a value.
    func span(of value: ValueTree.Index) -> SourceSpan { file.span(marks[Int(value)].range) }

    /// Records the location and style of the value that was added last.
    mutating func mark(_ range: Range<Int>, _ style: YAMLScalar.Style = .plain, _ tag: YAMLScalar.Tag? = nil) {
        marks.append(YAMLTree.Mark(range: range, style: style, tag: tag))
    }

    /// Processes the next event, with the content of a scalar in UTF-8.
    ///
    /// - Returns: Whether reading should continue.
    mutating func take(_ event: YAMLEvent, _ text: [UInt8]) -> Bool {
        switch event.kind {
        case .documentStart: startDocument(event)
        case .other: true
        case .scalar(let style): addScalar(event, style, text)
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
                "unexpected second document: the file can contain only one",
                at: file.span(event.start..<event.end),
                help: ["Move it to its own file, or remove the '---'."]
            )
        )
    }

    // MARK: Scalars and aliases

    private mutating func addScalar(_ event: YAMLEvent, _ style: YAMLScalar.Style, _ text: [UInt8]) -> Bool {
        var (start, end) = (event.start, event.end)
        var properties: YAMLProperties?
        var tag: YAMLScalar.Tag?
        if start == end {
            (start, end) = locationOfNothing(at: start)
        } else if PropertyScanner.begins(at: start, in: file) {
            (properties, start) = PropertyScanner.scan(event, in: file)
        }
        if style == .literal || style == .folded {
            end = ScalarSources.blockEnd(of: start..<end, in: file.bytes)
        }
        if let written = properties?.tag {
            let check = TagCheck(written, expanded: event.tag)
            let text = String(decoding: text, as: UTF8.self)
            tag = check.scalarTag(for: text)
            if let diagnostic = check.diagnosticForScalar(text, at: file.span(start..<end)) {
                diagnostics.append(diagnostic)
            }
        }
        let isString = tag == .string || tag == nil && style != .plain
        let value: JSON = isString ? "" : CoreSchema.value(of: String(decoding: text, as: UTF8.self))
        let number = value.number.flatMap { $0.text.utf8.elementsEqual(text) ? nil : $0 }
        let node = values.addScalar(value.kind, text: text, number: number)
        mark(start..<end, style, tag)
        if let properties { self.properties[node] = properties }
        let count = 1 + text.count / 1024
        guard grow(by: count, at: start..<end) else { return false }
        if let anchor = event.anchor { anchors[anchor] = Anchor(start: event.start, node: node, nodeCount: count) }
        add(node, end: end, height: 0)
        return diagnostics.count < limits.maximumDiagnostics
    }

    /// Returns the location of an empty value: after its `:` or `-`, or after the key if the colon is missing.
    ///
    /// Outside of blocks, libyaml reports the location of the next token.
    private func locationOfNothing(at offset: Int) -> (Int, Int) {
        guard let frame = frames.last, offset > frame.end, children.count > frame.childrenStart else {
            return (offset, offset)
        }
        let end = frame.end
        let before = file.bytes[offset - 1]
        if before == UInt8(ascii: ":") || before == UInt8(ascii: "-") { return (offset, offset) }
        let next = PropertyScanner.skippingSpace(from: end, in: file.bytes)
        let location = next < offset && file.bytes[next] == UInt8(ascii: ":") ? next + 1 : end
        return (location, location)
    }

    private mutating func addAlias(_ event: YAMLEvent) -> Bool {
        let span = file.span(event.start..<event.end)
        let name = event.anchor ?? ""
        guard let anchor = anchors[name] else {
            return addBroken(
                Diagnostic(
                    "unknown-alias",
                    "no anchor '&\(name.shortened)' is defined before this alias",
                    at: span,
                    help: ["A string that starts with '*' must be quoted: '*\(name.shortened)'."]
                )
            )
        }
        guard let node = anchor.node else {
            return addBroken(
                Diagnostic(
                    "recursive-alias",
                    "the value of '&\(name.shortened)' contains itself",
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

    /// Replaces an invalid alias by null, so that the rest can be read.
    private mutating func addBroken(_ diagnostic: Diagnostic) -> Bool {
        diagnostics.append(diagnostic)
        if let span = diagnostic.primary?.span {
            let null = values.addScalar(.null, text: [])
            mark(span.range)
            add(null, end: span.range.upperBound, height: 0)
        }
        return diagnostics.count < limits.maximumDiagnostics
    }

    // MARK: Collections

    private mutating func open(_ event: YAMLEvent, isMapping: Bool) -> Bool {
        var start = event.start
        var properties: YAMLProperties?
        if event.anchor != nil || event.tag != nil {
            (properties, start) = PropertyScanner.scan(event, in: file)
            if let written = properties?.tag {
                let check = TagCheck(written, expanded: event.tag)
                if let diagnostic = check.diagnosticForCollection(isMapping: isMapping) {
                    diagnostics.append(diagnostic)
                }
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
                childrenStart: children.count,
                countBefore: countBefore,
                propertiesStart: event.start,
                properties: properties
            )
        )
        return true
    }

    private mutating func close(_ event: YAMLEvent) -> Bool {
        guard !frames.isEmpty else { return true }
        let frame = frames.removeLast()
        // Only a closing bracket has a width; any other collection ends where its last child ends.
        let end = frame.isFlow && event.end > event.start ? event.end : max(frame.end, frame.start)
        let node = addCollection(frame, at: frame.start..<end)
        children.removeLast(children.count - frame.childrenStart)
        if let properties = frame.properties { self.properties[node] = properties }
        // A later anchor of the same name inside may have replaced this one.
        if let name = frame.properties?.anchor?.value, anchors[name]?.start == frame.propertiesStart {
            let count = nodeCount - frame.countBefore
            anchors[name] = Anchor(start: frame.propertiesStart, node: node, nodeCount: count, height: frame.height + 1)
        }
        add(node, end: end, height: frame.height + 1)
        return diagnostics.count < limits.maximumDiagnostics
    }

    /// Adds the collection itself. No slice of the children outlives this call, so that they are not copied when they
    /// change.
    private mutating func addCollection(_ frame: Frame, at range: Range<Int>) -> ValueTree.Index {
        if frame.isMapping { return addMapping(children[frame.childrenStart...], at: range) }
        defer { mark(range) }
        return values.addArray(children[frame.childrenStart...])
    }

    private mutating func add(_ node: ValueTree.Index, end: Int, height: Int) {
        guard !frames.isEmpty else {
            documents.append(node)
            return
        }
        children.append(node)
        frames[frames.count - 1].end = end
        frames[frames.count - 1].height = max(frames[frames.count - 1].height, height)
    }

    // MARK: Limits

    /// Counts values, and stops if there are too many.
    private mutating func grow(by count: Int, at range: Range<Int>) -> Bool {
        nodeCount += count
        guard nodeCount > limits.maximumNodes else { return true }
        let span = file.span(range)
        let isAlias = range.lowerBound < file.bytes.count && file.bytes[range.lowerBound] == UInt8(ascii: "*")
        return stop(
            isAlias
                ? Diagnostic(
                    "alias-growth",
                    "this alias expands the document to more than \(limits.maximumNodes) values",
                    at: span,
                    label: "expands to \(count) values"
                )
                : Diagnostic("too-large", "the document has more than \(limits.maximumNodes) values", at: span)
        )
    }

    private func tooDeep(at span: SourceSpan) -> Diagnostic {
        Diagnostic("too-deep", "the values are nested more than \(limits.maximumDepth) levels deep", at: span)
    }

    private mutating func stop(_ diagnostic: Diagnostic) -> Bool {
        diagnostics.append(diagnostic)
        return false
    }
}
