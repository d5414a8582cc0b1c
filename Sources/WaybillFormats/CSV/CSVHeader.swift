import WaybillJSON

/// The names of the columns, read from the first record.
struct CSVHeader: Sendable {
    /// The names, in order; no two are equal.
    let names: [String]

    /// Reads the first record of a text.
    init(_ record: ArraySlice<UInt8>, from start: Int, maximumFields: Int) throws(CSVError) {
        var fields = CSVFields(from: start)
        var names: [String] = []
        var known: Set<CodePoints> = []
        while let (name, range) = try fields.next(of: record.span) {
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
            if names.isEmpty, Self.isStartOfDocument(name) {
                throw CSVError("expected the names of the columns, found a page of HTML or XML", at: range)
            }
            guard known.insert(CodePoints(name)).inserted else {
                throw CSVError("two columns are named '\(name)'", at: range)
            }
            names.append(name)
        }
        self.names = names
    }

    /// Whether HTML or XML starts with a text, such as a server sends in place of a table.
    private static func isStartOfDocument(_ text: String) -> Bool {
        let start = String(decoding: text.utf8.drop { $0 <= 0x20 }.prefix(9), as: UTF8.self).lowercased()
        return ["<!doctype", "<html", "<head>", "<body", "<?xml", "<!--"].contains(where: start.hasPrefix)
    }

    /// The object of a record: a string for each name.
    func object(of record: ArraySlice<UInt8>) throws(CSVError) -> JSONObject {
        var fields = CSVFields()
        var object = JSONObject()
        while let (text, range) = try fields.next(of: record.span) {
            guard object.count < names.count else {
                var count = names.count + 1
                while try fields.next(of: record.span) != nil { count += 1 }
                throw fault(fields: count, at: range.lowerBound..<record.count)
            }
            object[names[object.count]] = .string(text)
        }
        guard object.count == names.count else { throw fault(fields: object.count, at: 0..<record.count) }
        return object
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
