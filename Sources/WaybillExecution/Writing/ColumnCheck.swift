import Synchronization
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest

/// Detects columns that no record has, such as misspelt ones, and pages that are written as one record each by mistake.
final class ColumnCheck: Sendable {
    private struct State {
        /// The columns without an expression that no record has had so far.
        var missing: [String]
        /// The first names of members that occur in records.
        var names: [String] = []
        /// The first member of an object record that is a list.
        var list: String?
        /// Whether it was reported that each page is one record.
        var hasReportedPages = false
    }

    private static let mostNames = 100

    private let state: Mutex<State>

    /// A check of the records of a file.
    ///
    /// - Parameter isContinued: Whether the file has records of an earlier process, which are not known here.
    init(_ write: Write, isContinued: Bool) {
        let columns = isContinued ? [] : write.columns.filter { $0.value == nil }.map(\.name.value)
        state = Mutex(State(missing: columns))
    }

    /// Notes records as they are before the columns are taken from them.
    func note(_ records: some Sequence<JSON>) {
        state.withLock { state in
            if state.missing.isEmpty { return }
            for record in records {
                guard let object = record.object else {
                    state.missing.removeAll { $0 == "value" }
                    continue
                }
                state.missing.removeAll { object[$0] != nil }
                if state.missing.isEmpty { return }
                for (name, value) in object where state.names.count < Self.mostNames && !state.names.contains(name) {
                    state.names.append(name)
                    if state.list == nil, value.array != nil { state.list = name }
                }
            }
        }
    }

    /// The warning of a page that is an object with a list in it, once: the object is written as one record.
    func pageWarning(_ page: JSON) -> String? {
        guard let list = page.object?.first(where: { $0.value.array != nil })?.name else { return nil }
        let isFirst = state.withLock { state in
            defer { state.hasReportedPages = true }
            // The columns are those of the list's elements.
            state.missing = []
            return !state.hasReportedPages
        }
        guard isFirst else { return nil }
        return
            "each page is written as one record, because its data is an object; if its '\(list)' contains the records, add 'items: $.\(list)' "
            + "to 'paginate'"
    }

    /// The warning of columns that no record has had; `nil` if there are none.
    func warning() -> String? {
        state.withLock { state in
            guard let first = state.missing.first, !state.names.isEmpty else { return nil }
            let missing = state.missing.map { "'\($0)'" }.joined(separator: ", ")
            let columns = state.missing.count == 1 ? "the column \(missing) is" : "the columns \(missing) are"
            if let nearest = NearestName.of(first, among: state.names) {
                return "\(columns) empty: no record has '\(first)'; did you mean '\(nearest)'?"
            }
            if let list = state.list {
                return
                    "\(columns) empty: no record has '\(first)'. If its '\(list)' contains the records, add 'records: $.\(list)'"
            }
            let names = state.names.prefix(12).map { "'\($0)'" }.joined(separator: ", ")
            return "\(columns) empty: no record has '\(first)'; the records have \(names)"
        }
    }
}
