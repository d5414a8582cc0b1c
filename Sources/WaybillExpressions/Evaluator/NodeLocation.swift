import WaybillJSON

/// The location of a node, recorded while a path is followed: either nothing, or the normalized path.
protocol NodeLocation {
    func appending(_ name: String) -> Self
    func appending(_ index: Int) -> Self
}

/// No location: following a path then costs no more than reading the values.
struct NoLocation: NodeLocation {
    func appending(_ name: String) -> NoLocation { self }
    func appending(_ index: Int) -> NoLocation { self }
}

/// A value and its location.
struct Node<Location: NodeLocation> {
    var value: JSON
    var location: Location
}
