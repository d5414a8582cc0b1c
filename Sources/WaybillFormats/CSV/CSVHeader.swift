import WaybillJSON

/// The names of the columns, read from the first record.
struct CSVHeader: Sendable {
    /// The names, in order; no two are equal.
    let names: [String]
    /// The positions of the names in each row's object, if there are enough for an index.
    private let index: NameIndex?

    /// Reads the first record of a text.
    init(_ record: UnsafeBufferPointer<UInt8>, from start: Int, maximumFields: Int) throws(CSVError) {
        var fields = CSVFields(record, from: start)
        var names: [String] = []
        var known: Set<CodePoints> = []
        while let (name, range) = try fields.next() {
            guard names.count < maximumFields else {
                throw CSVError("the header has more than \(maximumFields) names", at: range)
            }
            guard !name.isEmpty else {
                throw CSVError(
                    "column \(names.count + 1) has no name",
                    at: range,
                    help: "The first row gives each column its name."
                )
            }
            guard known.insert(CodePoints(name)).inserted else {
                throw CSVError("two columns are named '\(name)'", at: range)
            }
            names.append(name)
        }
        self.names = names
        index = names.count < NameIndex.smallestUse ? nil : NameIndex(of: names)
    }

    /// The object of a record: a string for each name.
    func object(of record: UnsafeBufferPointer<UInt8>) throws(CSVError) -> JSONObject {
        var fields = CSVFields(record)
        var members: [(name: String, value: JSON)] = []
        members.reserveCapacity(names.count)
        while let (text, range) = try fields.next() {
            guard members.count < names.count else {
                var count = names.count + 1
                while try fields.next() != nil { count += 1 }
                throw fault(fields: count, at: range.lowerBound..<record.count)
            }
            members.append((names[members.count], .string(text)))
        }
        guard members.count == names.count else { throw fault(fields: members.count, at: 0..<record.count) }
        return JSONObject(distinct: members, index: index)
    }

    private func fault(fields: Int, at range: Range<Int>) -> CSVError {
        func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
        return CSVError(
            "the row has \(counted(fields, "field")), but the header has \(counted(names.count, "name"))",
            at: range,
            help: fields > names.count ? "Put a field that contains a comma in quotes." : nil
        )
    }
}
