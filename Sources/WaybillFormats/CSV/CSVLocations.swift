package import WaybillDiagnostics
package import WaybillJSON

/// The locations of the fields of a row in its text.
package struct CSVLocations: DocumentLocations, Sendable {
    package let span: SourceSpan
    private let fields: [CodePoints: SourceSpan]

    /// Finds the fields of a row that `CSVReader` has read.
    ///
    /// - Parameters:
    ///   - row: The bytes of the row in the file.
    ///   - names: The names of the columns.
    package init(of row: Range<Int>, names: [String], in file: SourceFile) {
        span = file.span(row)
        var found: [CodePoints: SourceSpan] = [:]
        let bytes = file.bytes
        let record = bytes.span.extracting(row)
        var fields = CSVFields()
        for name in names {
            guard let range = try? fields.next(of: record)?.range else { break }
            let start = row.lowerBound
            found[CodePoints(name)] = file.span(start + range.lowerBound..<start + range.upperBound)
        }
        self.fields = found
    }

    /// Returns the span of the row, or of the field that a pointer of one name leads to; `nil` for longer pointers.
    package func span(at pointer: JSONPointer) -> SourceSpan? {
        guard let token = pointer.tokens.first else { return span }
        guard pointer.tokens.count == 1 else { return nil }
        switch token {
        case .name(let name): return fields[CodePoints(name)]
        case .index(let index): return fields[CodePoints(String(index))]
        }
    }

    /// Returns the span of the value of a name. The name itself is in the header, far from the reported row.
    package func keySpan(at pointer: JSONPointer) -> SourceSpan? {
        pointer.tokens.isEmpty ? nil : span(at: pointer)
    }
}
