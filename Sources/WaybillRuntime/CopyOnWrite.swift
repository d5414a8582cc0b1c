/// A value that is stored by reference, so that a copy only retains one reference, whatever the value's size. The value
/// is copied when it is changed while it is shared.
///
/// It is public and inlinable, because the compiler does not specialise a generic `package` type in other modules.
@frozen
public struct CopyOnWrite<Value: Sendable>: Sendable {
    /// Changed only through a unique reference, so that no other owner can observe the change, and no check is needed
    /// at run time.
    @usableFromInline
    final class Storage: @unchecked Sendable {
        @usableFromInline @exclusivity(unchecked) var value: Value

        @inlinable
        init(_ value: Value) {
            self.value = value
        }
    }

    @usableFromInline var storage: Storage

    /// Stores a value by reference.
    @inlinable
    package init(_ value: Value) {
        storage = Storage(value)
    }

    /// The value.
    @inlinable
    package var value: Value {
        _read { yield storage.value }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
            yield &storage.value
        }
    }

}

extension CopyOnWrite: Equatable where Value: Equatable {
    /// Whether the values are equal. Values with the same reference are not compared.
    public static func == (left: CopyOnWrite, right: CopyOnWrite) -> Bool {
        left.storage === right.storage || left.value == right.value
    }
}
