import OrderedCollections
import WaybillDiagnostics
import WaybillFormats
import WaybillJSON

/// Compiles schema documents to a program.
///
/// A subschema that is referred to gets its index immediately and is compiled later, so neither nesting nor chains of
/// references need stack space.
struct SchemaCompiler {
    var documents: SchemaDocuments
    let assertsFormats: Bool
    /// What the schemas describe, if `readOnly` and `writeOnly` have an effect.
    let access: SchemaAccess?
    /// The keywords without an effect.
    private(set) var ineffectiveKeywords: [JSONSchemaError] = []
    private var locations: [SchemaLocation] = []
    private var indices: [SchemaLocation: Int] = [:]
    private var nodes: [SchemaNode] = []
    private var nodesOnDemand: [SchemaNode?] = []
    private var dynamicAnchors: OrderedSet<CodePoints> = []

    init(registry: JSONSchemaRegistry, assertsFormats: Bool, access: SchemaAccess? = nil) {
        documents = SchemaDocuments(registry: registry)
        self.assertsFormats = assertsFormats
        self.access = access
    }

    mutating func compile(
        _ schema: JSON,
        baseURI: String,
        dialect: SchemaDialect = .draft2020
    ) throws(JSONSchemaError) -> SchemaProgram {
        let address = URIReference(baseURI).withoutFragment.description
        _ = index(of: try documents.read(schema, at: address, referredToFrom: dialect))
        var anchors: [[Int: Int]] = []
        repeat {
            while nodes.count < locations.count { nodes.append(try node(at: locations[nodes.count])) }
            anchors = dynamicTargets()
        } while nodes.count < locations.count
        if let loop = DependencyOrder(nodes.map(\.sameInstance)).cycles.first?.nodes.first {
            throw documents.error("refers to itself in an endless loop", at: nodes[loop].location)
        }
        return SchemaProgram(nodes: nodes, resources: documents.resources, dynamicAnchors: anchors, compiler: nil)
    }

    /// Returns a program whose nodes are compiled when they are needed.
    mutating func compileOnDemand(_ schema: JSON) throws(JSONSchemaError) -> SchemaProgram {
        _ = index(of: try documents.read(schema, at: "", isScanned: false))
        return SchemaProgram(nodes: [], resources: documents.resources, dynamicAnchors: [], compiler: self)
    }

    /// Returns the node with an index that another node has referred to.
    mutating func nodeOnDemand(_ index: Int) -> SchemaNode {
        if index < nodesOnDemand.count, let known = nodesOnDemand[index] { return known }
        do {
            let node = try node(at: locations[index])
            while nodesOnDemand.count < locations.count { nodesOnDemand.append(nil) }
            nodesOnDemand[index] = node
            return node
        } catch {
            preconditionFailure("a built-in schema is invalid: \(error)")
        }
    }

    /// Returns the index of the node for a subschema.
    mutating func index(of location: SchemaLocation) -> Int {
        if let known = indices[location] { return known }
        locations.append(location)
        indices[location] = locations.count - 1
        return locations.count - 1
    }

    /// Returns the index of a dynamic anchor that is referred to.
    mutating func index(ofDynamicAnchor name: String) -> Int {
        dynamicAnchors.append(CodePoints(name)).index
    }

    /// Returns the nodes of the dynamic anchors in all resources read so far. Finding them may add subschemas to
    /// compile.
    private mutating func dynamicTargets() -> [[Int: Int]] {
        dynamicAnchors.map(\.text).map { name in
            var targets: [Int: Int] = [:]
            for (number, resource) in documents.resources.enumerated() where resource.dynamicAnchors.contains(name) {
                guard let pointer = resource.anchors[name] else { continue }
                targets[number] = index(
                    of: SchemaLocation(
                        resource: number,
                        position: SchemaPosition(document: resource.document, pointer: pointer)
                    )
                )
            }
            return targets
        }
    }

    private mutating func node(at location: SchemaLocation) throws(JSONSchemaError) -> SchemaNode {
        var rules = SchemaRules()
        switch documents.value(at: location) {
        case .bool(let accepts):
            rules.refusesEverything = !accepts
        case .object(let members):
            let dialect = documents.documents[location.document].dialect
            var keywords = dialect.keywords(of: members)
            if let access { removeHiddenProperties(from: &keywords, for: access, at: location) }
            let source = SchemaSource(members: keywords, location: location)
            try read(source, into: &rules)
            if assertsFormats { findIneffectiveKeywords(in: source) }
        default:
            throw documents.error("must be a schema: a mapping, true or false", at: location)
        }
        return SchemaNode(rules, at: location)
    }

    /// How many references and parts of `allOf` are followed to find hidden properties.
    private static let longestChain = 16

    /// Removes from `required` the properties that do not occur in what is sent or received. The keyword that marks them
    /// may be in the schema that a property refers to, or in another part of `allOf`.
    private mutating func removeHiddenProperties(
        from keywords: inout JSONObject,
        for access: SchemaAccess,
        at location: SchemaLocation
    ) {
        guard let required = keywords["required"]?.array else { return }
        var whole = location
        while let owner = whole.ownerOfPart { whole = owner }
        let hidden = hiddenNames(at: whole, for: access, depth: 0)
        if hidden.isEmpty { return }
        keywords["required"] = .array(required.filter { $0.string.map { !hidden.contains(CodePoints($0)) } ?? true })
    }

    /// The names of the properties of an object that do not occur in what is sent or received.
    private mutating func hiddenNames(
        at location: SchemaLocation,
        for access: SchemaAccess,
        depth: Int
    ) -> Set<CodePoints> {
        guard depth < Self.longestChain, let schema = documents.value(at: location).object else { return [] }
        var names: Set<CodePoints> = []
        for (name, _) in schema["properties"]?.object ?? JSONObject() {
            let property = location.appending(.name("properties"), .name(name))
            if isHidden(property, for: access, depth: depth + 1) { names.insert(CodePoints(name)) }
        }
        for part in parts(of: schema, at: location) {
            names.formUnion(hiddenNames(at: part, for: access, depth: depth + 1))
        }
        return names
    }

    private mutating func isHidden(_ location: SchemaLocation, for access: SchemaAccess, depth: Int) -> Bool {
        guard depth < Self.longestChain, let schema = documents.value(at: location).object else { return false }
        if schema[access.hiddenProperties] == true { return true }
        for part in parts(of: schema, at: location) where isHidden(part, for: access, depth: depth + 1) { return true }
        return false
    }

    /// The schemas that apply to the same value: the target of a reference, and the parts of `allOf`.
    private mutating func parts(of schema: JSONObject, at location: SchemaLocation) -> [SchemaLocation] {
        let list = location.appending(.name("allOf"))
        var parts = (schema["allOf"]?.array ?? []).indices.map { list.appending(.index($0)) }
        if let reference = schema["$ref"]?.string,
            let target = try? documents.resolve(reference, "$ref", at: location).location
        {
            parts.append(target)
        }
        return parts
    }

    private mutating func read(_ source: SchemaSource, into rules: inout SchemaRules) throws(JSONSchemaError) {
        let vocabularies = documents.resources[source.location.resource].vocabularies
        let groups = SchemaKeywordGroups(in: source.members)
        let hasApplicators = vocabularies.contains(.applicator)
        let hasValidation = vocabularies.contains(.validation)
        if groups.contains(.values), hasValidation { try readTypes(source, into: &rules) }
        if groups.contains(.numbers), hasValidation { rules.number = try numberRules(source) }
        if groups.contains(.strings) {
            let assertsFormat = assertsFormats || vocabularies.contains(.formatAssertion)
            rules.string = try stringRules(source, validation: hasValidation, format: assertsFormat)
        }
        if groups.contains(.arrays) {
            rules.array = try arrayRules(source, validation: hasValidation, applicators: hasApplicators)
        }
        if groups.contains(.objects) {
            rules.object = try objectRules(source, validation: hasValidation, applicators: hasApplicators)
            rules.hasObjectRules = true
        }
        if groups.contains(.references) { rules.applicators = try references(source) }
        if groups.contains(.applicators), hasApplicators { rules.applicators += try applicators(source) }
        if groups.contains(.unevaluated), vocabularies.contains(.unevaluated) {
            rules.unevaluatedItems = try schema(source, "unevaluatedItems")
            rules.unevaluatedProperties = try schema(source, "unevaluatedProperties")
        }
        var annotation = JSONObject()
        for (name, value) in source.members where name.utf8.starts(with: "x-".utf8) { annotation[name] = value }
        if !annotation.isEmpty { rules.annotation = annotation }
    }
}

extension SchemaNode {
    /// The nodes that this node applies to its own instance unconditionally.
    fileprivate var sameInstance: [Int] {
        rules.applicators.flatMap { applicator -> [Int] in
            switch applicator {
            case .reference(let target), .not(let target), .conditional(let target, _, _): [target]
            case .dynamicReference: []
            case .allOf(let schemas), .anyOf(let schemas), .oneOf(let schemas): schemas
            }
        }
    }
}

extension SchemaCompiler {
    /// Keywords that have an effect only together with one of some others.
    private static let partners = [
        "if": ["then", "else"], "then": ["if"], "else": ["if"], "minContains": ["contains"],
        "maxContains": ["contains"],
    ]
    /// The formats of OpenAPI 3.1, which restrict no strings.
    private static let formatsOfOpenAPI = ["int32", "int64", "float", "double", "password", "byte", "binary"]

    private mutating func findIneffectiveKeywords(in source: SchemaSource) {
        func add(_ message: String, _ keyword: String) {
            ineffectiveKeywords.append(documents.error(message, at: source.location, keyword))
        }
        for (keyword, value) in source.members {
            if let partners = Self.partners[keyword], partners.allSatisfy({ source.members[$0] == nil }) {
                add("has no effect without '\(partners.joined(separator: "' or '"))'", keyword)
            }
            if keyword == "format", let name = value.string, StringFormat(rawValue: name) == nil,
                !Self.formatsOfOpenAPI.contains(name)
            {
                let nearest = NearestName.of(name, among: StringFormat.allCases.map(\.rawValue))
                let hint = nearest.map { "; did you mean '\($0)'?" } ?? ""
                add("has no effect: the format '\(name)' is unknown and not checked\(hint)", keyword)
            }
        }
    }
}

/// A subschema that is being read.
struct SchemaSource {
    let members: JSONObject
    let location: SchemaLocation
}
