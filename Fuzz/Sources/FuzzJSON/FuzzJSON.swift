import WaybillJSON

/// Reads a text as JSON. What can be read must be written so that it reads back equal, in every layout; numbers must obey
/// the laws of equality, hashing and order.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let value: JSON
    do throws(JSONSyntaxError) {
        value = try JSONParser().parse(bytes)
    } catch {
        precondition((0...count).contains(error.offset), "the error is outside the text")
        return 0
    }
    for writer in [JSONWriter(), JSONWriter(layout: .pretty)] {
        var written: [UInt8] = []
        writer.write(value, to: &written)
        let again = try? JSONParser().parse(written)
        precondition(again == value, "what was written does not read back equal")
        precondition(again?.hashValue == value.hashValue, "equal values have different hashes")
    }
    checkNumbers(in: value)
    return 0
}

/// Checks each number of a value by itself and against the one before it.
private func checkNumbers(in value: JSON) {
    var previous = JSONNumber(0)
    var pending = [value]
    while let value = pending.popLast() {
        switch value {
        case .array(let elements): pending += elements
        case .object(let members): pending += members.map(\.value)
        case .number(let number):
            check(number, previous)
            previous = number
        case .null, .bool, .string, .bytes: break
        }
    }
}

private func check(_ number: JSONNumber, _ other: JSONNumber) {
    precondition(JSONNumber(parsing: number.text) == number, "the text of a number is another number")
    if let int = number.int {
        precondition(JSONNumber(int) == number && number.isInteger, "an integer is not itself")
        precondition(JSONNumber(int).hashValue == number.hashValue, "equal numbers have different hashes")
    }
    if let back = JSONNumber(number.double) {
        precondition(back.double == number.double, "a double does not survive")
    }
    let relations = [number < other, number == other, other < number]
    precondition(relations.count { $0 } == 1, "two numbers are not in exactly one order")
    precondition(number != other || number.hashValue == other.hashValue, "equal numbers have different hashes")
    if number.isMultiple(of: other), other.isMultiple(of: number) {
        precondition(
            number == other || number.text.drop { $0 == "-" }.count > 0 && number.double == -other.double,
            "only a number and its negation are multiples of each other"
        )
    }
}
