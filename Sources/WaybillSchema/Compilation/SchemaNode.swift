import OrderedCollections
import WaybillJSON

/// A compiled subschema: the rules of its keywords. It is a class, because it is passed on at each evaluation.
///
/// Other nodes are referred to by their index in the program, so that a recursive schema is a finite list.
final class SchemaNode: Sendable {
    /// The location of the subschema.
    let location: SchemaLocation
    let rules: SchemaRules
    /// Whether every instance is valid, so that evaluation can be skipped.
    let acceptsEverything: Bool
    /// The node that decides instead of this one, which consists only of a `$ref` to it.
    let target: Int?

    init(_ rules: SchemaRules, at location: SchemaLocation) {
        self.location = location
        self.rules = rules
        acceptsEverything = rules.onlyApplies && rules.applicators.isEmpty
        if rules.onlyApplies, rules.applicators.count == 1, case .reference(let target) = rules.applicators[0] {
            self.target = target
        } else {
            target = nil
        }
    }
}

/// The rules of a subschema, grouped by the kind of instance that they apply to.
struct SchemaRules: Sendable {
    /// Whether it is the schema `false`, or one equivalent to it.
    var refusesEverything = false
    var types = SchemaTypeSet.everything
    var constant: AllowedValues?
    var enumeration: AllowedValues?
    var number: NumberRules?
    var string: StringRules?
    var array: ArrayRules?
    /// The rules for objects, which are used in place: a copy of them would take longer than most checks.
    var object = ObjectRules()
    var hasObjectRules = false
    var applicators: [Applicator] = []
    var unevaluatedItems: Int?
    var unevaluatedProperties: Int?
    /// The `x-…` members.
    var annotation: JSONObject?

    /// Whether there are no rules other than `applicators`.
    var onlyApplies: Bool {
        !refusesEverything && types == .everything && constant == nil && enumeration == nil && number == nil
            && string == nil && array == nil && !hasObjectRules && unevaluatedItems == nil
            && unevaluatedProperties == nil
    }
}

/// The location of a subschema: its resource, and the pointer from the root of its document.
struct SchemaLocation: Sendable, Hashable {
    let resource: Int
    let position: SchemaPosition

    var document: Int { position.document }
    var pointer: JSONPointer { position.pointer }

    /// Returns the location at a path below this one, in the same resource.
    func appending(_ path: JSONPointer.Token...) -> SchemaLocation {
        SchemaLocation(resource: resource, position: position.appending(path))
    }

    /// The schema whose `allOf` has this one as a part; `nil` if it is not such a part.
    var ownerOfPart: SchemaLocation? {
        let tokens = pointer.tokens
        guard tokens.count > 1, tokens[tokens.count - 2] == .name("allOf"), case .index? = tokens.last else {
            return nil
        }
        let owner = SchemaPosition(document: document, pointer: JSONPointer(tokens.dropLast(2)))
        return SchemaLocation(resource: resource, position: owner)
    }
}

/// A subschema by its document and pointer.
struct SchemaPosition: Sendable, Hashable {
    let document: Int
    let pointer: JSONPointer

    /// Returns the position at a path below this one.
    func appending(_ path: [JSONPointer.Token]) -> SchemaPosition {
        SchemaPosition(document: document, pointer: pointer.appending(path))
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
    case oneOf([Int])
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

/// The rules for objects.
struct ObjectRules: Sendable {
    var properties: OrderedDictionary<CodePoints, Int> = [:]
    var required: [String] = []
    var patterns: [(pattern: RegularExpression, schema: Int)] = []
    var additional: Int?
    var propertyNames: Int?
    var minProperties: Int?
    var maxProperties: Int?
    var dependentRequired: [(name: String, needs: [String], keyword: String)] = []
    var dependentSchemas: [(name: String, schema: Int, keyword: String)] = []

    /// The names in `properties`.
    var propertyList: [String] { properties.keys.map(\.text) }
}

/// The values of `const` or `enum`.
struct AllowedValues: Sendable {
    /// All values, in order.
    let list: [JSON]
    private let values: Set<JSON>

    init(_ list: [JSON]) {
        self.list = list
        values = Set(list)
    }

    func contains(_ instance: JSON) -> Bool { values.contains(instance) }
}
