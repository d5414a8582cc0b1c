import WaybillJSON

/// The representation of values that a schema is applied to, and the access to them.
///
/// The evaluator is specialized for each conforming type, so the access costs no dynamic calls.
protocol SchemaInstances {
    /// A value.
    associatedtype Value
    /// The content of a value of the kind `array`.
    associatedtype Elements
    /// The content of a value of the kind `object`.
    associatedtype Members

    /// Returns the kind of a value.
    func kind(of value: Value) -> JSON.Kind
    /// Returns the number of a value of that kind.
    func number(_ value: Value) -> JSONNumber
    /// Calls a function with the UTF-8 of a string value or of a name.
    func withText(of value: Value, _ body: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool
    /// Whether a string is in a set of names.
    func isName(_ value: Value, in names: NameTable) -> Bool
    /// Returns the value as JSON, for comparisons.
    func json(_ value: Value) -> JSON

    /// Returns the content of an array.
    func elements(of value: Value) -> Elements
    /// Returns the number of elements.
    func count(of elements: Elements) -> Int
    /// Returns the element at a position.
    func element(at position: Int, of elements: Elements) -> Value

    /// Returns the content of an object.
    func members(of value: Value) -> Members
    /// Returns the number of members.
    func count(of members: Members) -> Int
    /// Returns the name of the member at a position, as a value of the kind `string`.
    func name(at position: Int, of members: Members) -> Value
    /// Returns the value of the member at a position.
    func value(at position: Int, of members: Members) -> Value
    /// Returns the index in a set of names of the name of the member at a position.
    func index(ofNameAt position: Int, of members: Members, in names: NameTable) -> Int?
    /// Whether there is a member with a name.
    func hasMember(_ name: String, in members: Members) -> Bool
}

/// Values in memory.
struct JSONInstances: SchemaInstances {
    func kind(of value: JSON) -> JSON.Kind { value.kind }
    func number(_ value: JSON) -> JSONNumber { value.number ?? JSONNumber(0) }
    func withText(of value: JSON, _ body: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        var string = value.string ?? ""
        return string.withUTF8(body)
    }
    func isName(_ value: JSON, in names: NameTable) -> Bool { value.string.flatMap { names.index(of: $0) } != nil }
    func json(_ value: JSON) -> JSON { value }

    func elements(of value: JSON) -> [JSON] { value.array ?? [] }
    func count(of elements: [JSON]) -> Int { elements.count }
    func element(at position: Int, of elements: [JSON]) -> JSON { elements[position] }

    func members(of value: JSON) -> JSONObject { value.object ?? JSONObject() }
    func count(of members: JSONObject) -> Int { members.count }
    func name(at position: Int, of members: JSONObject) -> JSON { .string(members[position].name) }
    func value(at position: Int, of members: JSONObject) -> JSON { members[position].value }
    func index(ofNameAt position: Int, of members: JSONObject, in names: NameTable) -> Int? {
        names.index(of: members[position].name)
    }
    func hasMember(_ name: String, in members: JSONObject) -> Bool { members.index(of: name) != nil }
}

/// Values of a document tree.
struct TreeInstances: SchemaInstances {
    let tree: ValueTree

    /// A value, or a scalar that is the name of a member, and is therefore a string.
    struct Value {
        let index: ValueTree.Index
        var isName = false
    }

    func kind(of value: Value) -> JSON.Kind { value.isName ? .string : tree.kind(of: value.index) }
    func number(_ value: Value) -> JSONNumber { tree.number(of: value.index) }
    func withText(of value: Value, _ body: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        tree.withText(of: value.index, body)
    }
    func isName(_ value: Value, in names: NameTable) -> Bool { tree.index(ofText: value.index, in: names) != nil }
    func json(_ value: Value) -> JSON {
        value.isName ? .string(tree.text(of: value.index)) : tree.json(of: value.index)
    }

    func elements(of value: Value) -> ValueTree.Index { value.index }
    func count(of elements: ValueTree.Index) -> Int { tree.elementCount(of: elements) }
    func element(at position: Int, of elements: ValueTree.Index) -> Value {
        Value(index: tree.element(at: position, of: elements))
    }

    func members(of value: Value) -> TreeMembers { TreeMembers(object: value.index) }
    func count(of members: TreeMembers) -> Int { tree.memberCount(of: members.object) }
    func name(at position: Int, of members: TreeMembers) -> Value {
        Value(index: tree.name(at: position, of: members.object), isName: true)
    }
    func value(at position: Int, of members: TreeMembers) -> Value {
        Value(index: tree.value(at: position, of: members.object))
    }
    func index(ofNameAt position: Int, of members: TreeMembers, in names: NameTable) -> Int? {
        tree.index(ofText: tree.name(at: position, of: members.object), in: names)
    }
    func hasMember(_ name: String, in members: TreeMembers) -> Bool {
        tree.position(of: name, in: members.object) != nil
    }
}

/// The content of an object in a tree.
struct TreeMembers {
    let object: ValueTree.Index
}
