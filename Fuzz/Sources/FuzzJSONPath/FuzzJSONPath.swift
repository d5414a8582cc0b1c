import WaybillExpressions
import WaybillJSON

/// A document with every kind of value.
private let document: JSON = [
    "a": [1, 2.5, -3, ["b": "x", "c": .null], [], [[true]]],
    "b": ["a": "text", "a b": false, "é": "ü", "date": "2024-02-29"],
    "c": "1.10",
]

/// Compiles a text as a query by RFC 9535 and evaluates it. Values and located values must agree, and each place found must
/// be a query for that place alone.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: data, count: count), as: UTF8.self)
    let path: JSONPath
    do throws(ExpressionSyntaxError) {
        path = try JSONPath(parsing: text)
    } catch {
        precondition(error.range.upperBound <= text.utf8.count, "the error is outside the text")
        return 0
    }
    do throws(EvaluationError) {
        let nodes = try path.nodes(in: document)
        let values = try path.values(in: document)
        precondition(nodes.map(\.value) == values, "the two kinds of result differ")
        for node in nodes.prefix(8) {
            let again = try? JSONPath(parsing: node.location.normalizedPath).values(in: document)
            precondition(again == [node.value], "a normalised path does not lead to its value")
        }
    } catch {
        precondition(error.kind == .limit && error.range.upperBound <= text.utf8.count, "a query failed")
    }
    return 0
}
