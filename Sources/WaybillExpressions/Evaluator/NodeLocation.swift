import WaybillJSON

/// The location of a node, recorded while a path is followed: either nothing, or the normalized path.
protocol NodeLocation {
    func appending(_ name: String) -> Self
    func appending(_ index: Int) -> Self
}

/// No location: following a path then costs no more than reading the values.
struct Unlocated: NodeLocation {
    func appending(_ name: String) -> Unlocated { self }
    func appending(_ index: Int) -> Unlocated { self }
}

/// A value and its location.
struct Node<Location: NodeLocation> {
    var value: JSON
    var location: Location
}
