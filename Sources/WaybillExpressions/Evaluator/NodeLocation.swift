import WaybillJSON

/// What is kept of a node's place while a path is followed: nothing, or the normalised path.
protocol NodeLocation {
    func appending(_ name: String) -> Self
    func appending(_ index: Int) -> Self
}

/// Nothing: following a path then costs no more than the values.
struct Unlocated: NodeLocation {
    func appending(_ name: String) -> Unlocated { self }
    func appending(_ index: Int) -> Unlocated { self }
}

/// A value and where it was found.
struct Node<Location: NodeLocation> {
    var value: JSON
    var location: Location
}
