import OrderedCollections
import WaybillJSON

/// The traits that distinguish a subschema from its alternatives at a glance.
struct BranchTraits {
    /// The types that it can accept.
    var types = SchemaTypeSet.everything
    /// The names that an object must have.
    var required: [String] = []
    /// The names that an object may have, as far as they are listed.
    var properties: [String] = []
    /// The members that accept only certain values.
    var constants: [(name: String, values: [JSON])] = []
    /// The only accepted values, if they are listed.
    var values: [JSON]?
    /// Whether an object cannot have names other than `properties`.
    var isClosed = false

    /// Creates the traits of a node and of the nodes that it always applies to the same instance.
    init(of index: Int, in program: SchemaProgram, depth: Int = 0) {
        let node = program.node(index)
        guard !node.rules.refusesEverything else {
            types = []
            return
        }
        let rules = node.rules
        types = rules.types
        for values in [rules.constant, rules.enumeration] {
            guard let values else { continue }
            self.values = values.list
            types.formIntersection(values.list.reduce(into: SchemaTypeSet([])) { $0.formUnion(SchemaTypeSet($1.kind)) })
        }
        if rules.hasObjectRules {
            let object = rules.object
            required = object.required
            properties = object.propertyList
            isClosed = object.additional.map { program.node($0).rules.refusesEverything } ?? false
            for (name, schema) in object.properties {
                if let values = Self.values(of: schema, in: program) { constants.append((name.text, values)) }
            }
        }
        if let schema = rules.unevaluatedProperties, program.node(schema).rules.refusesEverything { isClosed = true }
        guard depth < 16 else { return }
        for applicator in rules.applicators {
            switch applicator {
            case .reference(let target), .dynamicReference(_, let target):
                formUnion(BranchTraits(of: target, in: program, depth: depth + 1))
            case .allOf(let schemas):
                for schema in schemas { formUnion(BranchTraits(of: schema, in: program, depth: depth + 1)) }
            case .anyOf(let schemas), .oneOf(let schemas):
                let inner = schemas.map { BranchTraits(of: $0, in: program, depth: depth + 4) }
                types.formIntersection(inner.reduce(into: SchemaTypeSet([])) { $0.formUnion($1.types) })
            case .not, .conditional:
                break
            }
        }
    }

    /// Returns, for each of some alternatives, the names that it requires and not all of them do.
    static func distinctiveNames(of alternatives: [BranchTraits]) -> [[String]] {
        var common = Set(alternatives.first?.required ?? [])
        for alternative in alternatives { common.formIntersection(alternative.required) }
        return alternatives.map { alternative in alternative.required.filter { !common.contains($0) } }
    }

    private mutating func formUnion(_ other: BranchTraits) {
        types.formIntersection(other.types)
        required += other.required.filter { !required.contains($0) }
        properties += other.properties.filter { !properties.contains($0) }
        constants += other.constants
        values = values ?? other.values
        isClosed = isClosed || other.isClosed
    }

    /// Returns the only values that a schema accepts, if it lists them.
    private static func values(of schema: Int, in program: SchemaProgram) -> [JSON]? {
        var schema = schema
        for _ in 0..<8 {
            let node = program.node(schema)
            if let values = node.rules.constant ?? node.rules.enumeration { return values.list }
            guard case .reference(let target)? = node.rules.applicators.first else { return nil }
            schema = target
        }
        return nil
    }
}

extension Array where Element: Hashable {
    /// The elements without those that occurred earlier.
    var firstOccurrences: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
