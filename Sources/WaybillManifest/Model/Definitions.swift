package import OrderedCollections
package import WaybillDiagnostics

/// Things of one sort that a manifest defines by name, in the order in which it does.
package typealias Definitions<Value> = OrderedDictionary<String, Definition<Value>>

/// A named thing and the place where its name stands.
package struct Definition<Value: Sendable>: Sendable {
    /// The name, with its span.
    package var name: Spanned<String>
    /// The thing.
    package var value: Value

    /// A thing under a name.
    package init(name: Spanned<String>, value: Value) {
        self.name = name
        self.value = value
    }
}
