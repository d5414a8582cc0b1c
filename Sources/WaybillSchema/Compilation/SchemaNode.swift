import WaybillJSON

/// A compiled subschema: its keywords, grouped by the kind of instance that they apply to.
///
/// Other nodes are referred to by their index in the program, so that a recursive schema is a finite list.
final class SchemaNode: Sendable {
    /// The location of the subschema.
    let location: SchemaLocation
    /// Whether it is the schema `false`, or one equivalent to it.
    let refusesEverything: Bool
    let types: SchemaTypeSet
    let constant: AllowedValues?
    let enumeration: AllowedValues?
    let numberRules: Rules<NumberRules>?
    let stringRules: Rules<StringRules>?
    let arrayRules: Rules<ArrayRules>?
    let objectRules: Rules<ObjectRules>?
    let applicators: [Applicator]
    let unevaluatedItems: Int?
    let unevaluatedProperties: Int?
    /// The `x-…` members.
    let annotation: JSONObject?
    /// Whether every instance is valid, so that evaluation can be skipped.
    let acceptsEverything: Bool
    /// The node that decides instead of this one, which consists only of a `$ref` to it.
    let target: Int?

    init(_ parts: SchemaParts, at location: SchemaLocation) {
        self.location = location
        refusesEverything = parts.refusesEverything
        types = parts.types
        constant = parts.constant
        enumeration = parts.enumeration
        numberRules = parts.number.map(Rules.init)
        stringRules = parts.string.map(Rules.init)
        arrayRules = parts.array.map(Rules.init)
        objectRules = parts.object.map(Rules.init)
        applicators = parts.applicators
        unevaluatedItems = parts.unevaluatedItems
        unevaluatedProperties = parts.unevaluatedProperties
        annotation = parts.annotation
        let onlyApplies =
            !parts.refusesEverything && parts.types == .everything && parts.constant == nil && parts.enumeration == nil
            && parts.number == nil && parts.string == nil && parts.array == nil && parts.object == nil
            && parts.unevaluatedItems == nil && parts.unevaluatedProperties == nil
        acceptsEverything = onlyApplies && parts.applicators.isEmpty
        if onlyApplies, parts.applicators.count == 1, case .reference(let target) = parts.applicators[0] {
            self.target = target
        } else {
            target = nil
        }
    }

    var string: StringRules? { stringRules?.all }
    var object: ObjectRules? { objectRules?.all }
}

/// The rules for one kind of value, in a class so that reading one of them does not copy the others.
final class Rules<Of: Sendable>: Sendable {
    let all: Of

    init(_ all: Of) {
        self.all = all
    }
}

/// The data that the compiler collects for a node.
struct SchemaParts {
    var refusesEverything = false
    var types = SchemaTypeSet.everything
    var constant: AllowedValues?
    var enumeration: AllowedValues?
    var number: NumberRules?
    var string: StringRules?
    var array: ArrayRules?
    var object: ObjectRules?
    var applicators: [Applicator] = []
    var unevaluatedItems: Int?
    var unevaluatedProperties: Int?
    var annotation: JSONObject?
}

/// The location of a subschema: its resource, and the pointer from the root of its document.
struct SchemaLocation: Sendable, Hashable {
    let resource: Int
    let position: SchemaPosition

    var document: Int { position.document }
    var pointer: JSONPointer { position.pointer }
}

/// A subschema by its document and pointer. The hash is stored, so that a further token costs only that token.
struct SchemaPosition: Sendable, Hashable {
    let document: Int
    let pointer: JSONPointer
    private let hash: Int

    init(document: Int, pointer: JSONPointer) {
        self.init(document, pointer, hash: Self.hash(document, pointer.tokens))
    }

    private init(_ document: Int, _ pointer: JSONPointer, hash: Int) {
        self.document = document
        self.pointer = pointer
        self.hash = hash
    }

    /// Returns the position at a path below this one.
    func appending(_ path: [JSONPointer.Token]) -> SchemaPosition {
        SchemaPosition(document, pointer.appending(path), hash: Self.hash(hash, path))
    }

    static func == (left: SchemaPosition, right: SchemaPosition) -> Bool {
        left.hash == right.hash && left.document == right.document && left.pointer == right.pointer
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }

    private static func hash(_ start: Int, _ tokens: [JSONPointer.Token]) -> Int {
        tokens.reduce(start) { hash, token in
            var hasher = Hasher()
            hasher.combine(hash)
            hasher.combine(token)
            return hasher.finalize()
        }
    }
}

/// A keyword that applies subschemas to the instance itself.
indirect enum Applicator: Sendable {
    /// `$ref`
    case reference(Int)
    /// `$dynamicRef`: the index of the dynamic anchor in the program, and the node that a plain `$ref` would refer to.
    case dynamicReference(anchor: Int, initially: Int)
    case allOf([Int])
    case anyOf([Int])
    /// If each alternative requires a single name and nothing else, these are the names.
    case oneOf([Int], names: NameTable?)
    case not(Int)
    case conditional(condition: Int, then: Int?, otherwise: Int?)
}

/// The rules for numbers.
struct NumberRules: Sendable {
    var minimum: JSONNumber?
    var maximum: JSONNumber?
    var exclusiveMinimum: JSONNumber?
    var exclusiveMaximum: JSONNumber?
    var multipleOf: JSONNumber?
}

/// The rules for strings. Lengths count code points.
struct StringRules: Sendable {
    var minLength: Int?
    var maxLength: Int?
    var pattern: RegularExpression?
    /// The format to assert.
    var format: StringFormat?
}

/// The rules for arrays.
struct ArrayRules: Sendable {
    var prefix: [Int] = []
    var items: Int?
    var contains: Int?
    var minContains = 1
    var maxContains: Int?
    var minItems: Int?
    var maxItems: Int?
    var uniqueItems = false
}

/// The rules for objects, organized so that each member's name is looked up once.
struct ObjectRules: Sendable {
    /// The rules for a member with a known name.
    struct Member: Sendable {
        var schema: Int?
        var isRequired = false
    }

    /// The names in `properties` and `required`; `members` has the same order.
    var names = NameTable()
    var members: [Member] = []
    var requiredCount = 0
    /// Whether the members' values matter, and not only which required names are present.
    var looksAtMembers = false
    var patterns: [(pattern: RegularExpression, schema: Int)] = []
    var additional: Int?
    var propertyNames: Int?
    var minProperties: Int?
    var maxProperties: Int?
    var dependentRequired: [(name: String, needs: [String], keyword: String)] = []
    var dependentSchemas: [(name: String, schema: Int, keyword: String)] = []

    /// The names in `properties`.
    var propertyList: [String] {
        zip(names.names, members).filter { $0.1.schema != nil }.map(\.0)
    }

    /// The names in `required`.
    var requiredList: [String] {
        zip(names.names, members).filter { $0.1.isRequired }.map(\.0)
    }
}

/// The values of `const` or `enum`.
final class AllowedValues: Sendable {
    /// All values, in order.
    let list: [JSON]
    /// The strings among them.
    let strings: NameTable
    private let others: Set<JSON>

    init(_ list: [JSON]) {
        self.list = list
        strings = NameTable(list.compactMap(\.string))
        others = Set(list.filter { $0.kind != .string })
    }

    /// Whether there are values other than strings.
    var hasOthers: Bool { !others.isEmpty }

    func contains(_ instance: JSON) -> Bool {
        if case .string(let string) = instance { return strings.index(of: string) != nil }
        return hasOthers && others.contains(instance)
    }
}
