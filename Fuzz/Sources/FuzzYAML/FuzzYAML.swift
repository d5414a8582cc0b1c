import WaybillDiagnostics
import WaybillManifest

/// Reads a text as one YAML document and as a stream. Every span of every value, part of a scalar and finding must lie
/// within the text, and the values must turn into JSON.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let file = SourceFile(name: "fuzzed.yaml", bytes: bytes)
    let (document, diagnostics) = YAMLReader().read(file)
    let (documents, streamDiagnostics) = YAMLReader().readStream(file)
    for label in (diagnostics + streamDiagnostics).flatMap({ [$0.primary].compactMap(\.self) + $0.secondary }) {
        check(label.span, count)
        precondition(label.span.start.line >= 1 && label.span.end.column >= 1, "a finding has no place")
    }
    if let document {
        _ = document.json
    } else {
        precondition(!diagnostics.isEmpty, "there is no document and nothing is said about it")
    }
    checkNodes(of: documents, count)
    return 0
}

/// Looks at each node once, also where aliases lead to it again.
private func checkNodes(of documents: [YAMLNode], _ count: Int) {
    var pending = documents
    var seen: Set<Range<Int>> = []
    while let node = pending.popLast() {
        guard seen.insert(node.span.range).inserted else { continue }
        check(node.span, count)
        for property in [node.tag, node.anchor].compactMap(\.self) { check(property.span, count) }
        switch node.content {
        case .scalar(let scalar): checkParts(of: scalar, count)
        case .sequence(let elements): pending += elements
        case .mapping(let mapping): pending += mapping.entries.flatMap { [$0.key, $0.value] }
        }
    }
}

/// Asks for ranges all over a scalar and beyond it. Asking takes as long as the scalar is, so that of a long one only some
/// are asked for.
private func checkParts(of scalar: YAMLScalar, _ count: Int) {
    _ = scalar.json
    let length = scalar.text.utf8.count
    let stride = max(1, length / 8)
    for start in Swift.stride(from: 0, through: length + 1, by: stride) {
        for end in [start, start + 1, start + stride, length, length + 2] where end >= start {
            check(scalar.span(ofUTF8: start..<end), count)
        }
    }
}

private func check(_ span: SourceSpan, _ count: Int) {
    precondition(span.range.upperBound <= count, "a span is outside the text")
}
