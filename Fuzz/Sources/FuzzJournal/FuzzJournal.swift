import WaybillJSON
import WaybillResults

/// Reads a text as the journal of a run: as it is, and with right numbers and checksums on all lines that are JSON objects, so
/// that what the lines say is reached. Whatever it says, it must be read or refused, and each event can be written again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    _ = try? RunRecord(journal: bytes)
    guard let record = try? RunRecord(journal: sealed(bytes)) else { return 0 }
    for path in record.steps.paths.prefix(100) {
        _ = record.steps.step(at: path)
        _ = record.steps.elements(of: path)
        _ = record.steps.output(of: path)
        _ = record.steps.pages(of: path)
        _ = record.steps.openElements(of: path)
    }
    return 0
}

private func sealed(_ bytes: [UInt8]) -> [UInt8] {
    var number = 0
    var result: [UInt8] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
        guard var event = (try? JSONParser().parse(Array(line)))?.object else { continue }
        number += 1
        event["seq"] = .number(JSONNumber(number))
        event["sum"] = nil
        _ = RunEvent(json: .object(event))?.json
        let text = Array(JSONWriter().string(.object(event)).utf8.dropLast())
        result += text + Array(",\"sum\":\"\(Checksum.text(of: text[...]))\"}\n".utf8)
    }
    return result
}
