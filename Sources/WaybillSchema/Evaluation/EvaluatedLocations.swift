import BitCollections
import WaybillJSON

/// The members or elements of one instance that a subschema has evaluated, for `unevaluatedProperties` and
/// `unevaluatedItems`. An instance is an object or an array, so one set of positions serves both.
struct EvaluatedLocations {
    /// Whether the positions are needed. Otherwise nothing is recorded.
    let isTracking: Bool
    /// The names that the subschemas define, if they are needed.
    private(set) var known: [String]?
    private var positions = BitSet()

    init(tracking: Bool = false, naming: Bool = false) {
        isTracking = tracking
        known = naming ? [] : nil
    }

    mutating func insert(names: [String]) {
        guard let known else { return }
        self.known = known + names.filter { name in !known.contains { $0.hasSameCodePoints(as: name) } }
    }

    mutating func insert(_ position: Int) {
        if isTracking { positions.insert(position) }
    }

    mutating func insert(_ positions: Range<Int>) {
        if isTracking { self.positions.formUnion(positions) }
    }

    mutating func formUnion(_ other: EvaluatedLocations) {
        guard isTracking else { return }
        insert(names: other.known ?? [])
        positions.formUnion(other.positions)
    }

    func contains(_ position: Int) -> Bool { positions.contains(position) }
}
