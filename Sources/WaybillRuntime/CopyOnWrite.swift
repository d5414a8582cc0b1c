/// A value behind a reference: to copy it is to count one reference, whatever its size. It is copied when it is changed
/// and somebody else has it too.
///
/// It is public and inlinable, because the compiler does not specialise a generic `package` type in other modules.
@frozen
public struct CopyOnWrite<Value: Sendable>: Sendable {
    /// Changed only by whoever has the only reference, so that nobody else can see it meanwhile, and nothing has to look
    /// for that at run time.
    @usableFromInline
    final class Storage: @unchecked Sendable {
        @usableFromInline var value: Value

        @inlinable
        init(_ value: Value) {
            self.value = value
        }
    }

    @usableFromInline var storage: Storage

    /// Puts a value behind a reference.
    @inlinable
    package init(_ value: Value) {
        storage = Storage(value)
    }

    /// The value.
    @inlinable
    package var value: Value {
        _read { yield storage.value }
    }

    /// Changes the value.
    @inlinable
    package mutating func change(_ change: (inout Value) -> Void) {
        if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
        change(&storage.value)
    }
}

extension CopyOnWrite: Equatable where Value: Equatable {
    /// Whether the values are equal; the same reference is not looked behind.
    public static func == (left: CopyOnWrite, right: CopyOnWrite) -> Bool {
        left.storage === right.storage || left.value == right.value
    }
}
