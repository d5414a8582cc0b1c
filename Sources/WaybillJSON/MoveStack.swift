/// A stack whose top elements can be moved out together, without a copy or a check for each.
///
/// The parser collects the elements of all open arrays and objects on one stack, so that each array is allocated at its
/// final size.
struct MoveStack<Element>: ~Copyable {
    private var elements: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = capacity
        elements = .allocate(capacity: capacity)
    }

    deinit {
        elements.deinitialize(count: count)
        elements.deallocate()
    }

    mutating func push(_ element: consuming Element) {
        if count == capacity { grow() }
        (elements + count).initialize(to: element)
        count += 1
    }

    /// Moves the elements from a position to the top into memory that has room for them.
    mutating func moveTop(from start: Int, to destination: UnsafeMutablePointer<Element>) {
        precondition(start <= count)
        destination.moveInitialize(from: elements + start, count: count - start)
        count = start
    }

    /// Removes the elements from a position to the top.
    mutating func removeTop(from start: Int) {
        precondition(start <= count)
        (elements + start).deinitialize(count: count - start)
        count = start
    }

    // Elements are read and changed in place, because a copy would count references.
    subscript(position: Int) -> Element {
        _read {
            precondition(position >= 0 && position < count)
            yield elements[position]
        }
        _modify {
            precondition(position >= 0 && position < count)
            yield &elements[position]
        }
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: elements, count: count)
        elements.deallocate()
        elements = larger
        capacity *= 2
    }
}
