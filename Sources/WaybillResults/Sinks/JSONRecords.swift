/// One JSON array, with a record a line.
struct JSONRecords: RecordFormat {
    // What waits begins with the comma that it has anywhere but at the beginning.
    mutating func append(_ record: Record, isFirst: Bool, to file: inout [UInt8]) {
        file.append(UInt8(ascii: isFirst ? "[" : ","))
        file.append(UInt8(ascii: "\n"))
        record.writeJSON(to: &file)
    }

    mutating func release(_ held: [UInt8], isFirst: Bool, to file: inout [UInt8]) {
        let start = file.count
        file += held
        if isFirst, start < file.count { file[start] = UInt8(ascii: "[") }
    }

    func end(hasRecords: Bool) -> [UInt8] {
        Array((hasRecords ? "\n]\n" : "[]\n").utf8)
    }
}
