import WaybillJSON

/// The members or elements of one instance that a subschema has evaluated, for `unevaluatedProperties` and
/// `unevaluatedItems`. An instance is an object or an array, so one set of positions serves both.
struct EvaluatedLocations {
    /// Whether the positions are needed. Otherwise nothing is recorded.
    let isTracking: Bool
    /// The names that the subschemas define, if they are needed.
    private(set) var known: [String]?
    private var low: UInt64 = 0
    private var high: [UInt64] = []

    init(tracking: Bool = false, naming: Bool = false) {
        isTracking = tracking
        known = naming ? [] : nil
    }

    mutating func insert(names: [String]) {
        guard let known else { return }
        self.known = known + names.filter { name in !known.contains { $0.hasSameCodePoints(as: name) } }
    }

    mutating func insert(_ position: Int) {
        guard isTracking else { return }
        if position < 64 {
            low |= 1 << UInt64(position)
        } else {
            let word = position / 64 - 1
            while high.count <= word { high.append(0) }
            high[word] |= 1 << UInt64(position % 64)
        }
    }

    mutating func insert(_ positions: Range<Int>) {
        guard isTracking else { return }
        for position in positions { insert(position) }
    }

    mutating func formUnion(_ other: EvaluatedLocations) {
        guard isTracking else { return }
        insert(names: other.known ?? [])
        low |= other.low
        while high.count < other.high.count { high.append(0) }
        for (word, bits) in other.high.enumerated() { high[word] |= bits }
    }

    func contains(_ position: Int) -> Bool {
        if position < 64 { return low & 1 << UInt64(position) != 0 }
        let word = position / 64 - 1
        return word < high.count && high[word] & 1 << UInt64(position % 64) != 0
    }
}
