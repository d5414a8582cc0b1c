import WaybillDiagnostics
import WaybillFormats
import WaybillJSON

/// The schema documents read by one compilation, and the targets of references in them.
struct SchemaDocuments {
    /// A schema with an address of its own: the root of a document, or a subschema with `$id`.
    struct Resource {
        /// The absolute URI, without a fragment.
        let address: String
        let document: Int
        let root: JSONPointer
        var vocabularies: SchemaVocabularies
        /// The subschemas with `$anchor` or `$dynamicAnchor`.
        var anchors: [String: JSONPointer] = [:]
        var dynamicAnchors: Set<String> = []
    }

    private typealias Position = SchemaPosition

    private(set) var documents: [(address: String, root: JSON, dialect: SchemaDialect)] = []
    private(set) var resources: [Resource] = []
    private var resourcesByAddress: [CodePoints: Int] = [:]
    /// The subschemas found so far, and the resources that they belong to.
    private var found: [Position: (schema: JSON, resource: Int)] = [:]
    private let registry: JSONSchemaRegistry
    /// Whether subschemas may have identifiers, which must be searched for.
    private var mayHaveIdentifiers = true

    init(registry: JSONSchemaRegistry) {
        self.registry = registry
    }

    /// Returns the value at a location.
    func value(at location: SchemaLocation) -> JSON {
        found[location.position]?.schema ?? location.pointer.resolve(in: documents[location.document].root) ?? .null
    }

    /// Reads a document, and returns the location of its root.
    ///
    /// - Parameters:
    ///   - outer: The dialect of the document that refers to it.
    ///   - isScanned: Whether subschemas may have identifiers. If not, the same holds for all documents read after it.
    mutating func read(
        _ root: JSON,
        at address: String,
        referredToFrom outer: SchemaDialect = .draft2020,
        isScanned: Bool = true
    ) throws(JSONSchemaError) -> SchemaLocation {
        let document = documents.count
        documents.append((address, root, SchemaDialect(of: root, referredToFrom: outer)))
        let resource = addResource(at: address, document: document, root: JSONPointer(), inheriting: .standard)
        let start = Position(document: document, pointer: JSONPointer())
        if let dialect = root["jsonSchemaDialect"], root["openapi"] != nil {
            let location = SchemaLocation(resource: resource, position: start)
            resources[resource].vocabularies = try vocabularies(of: dialect, "jsonSchemaDialect", at: location)
        }
        if isScanned {
            try scan(root, at: start, resource: resource)
        } else {
            mayHaveIdentifiers = false
            found[start] = (root, try identify(root.object ?? JSONObject(), at: start, outer: resource))
        }
        return location(at: start)
    }

    /// Returns the location of a schema at a path inside another; it has been scanned with that one.
    func location(of path: [JSONPointer.Token], in outer: SchemaLocation) -> SchemaLocation {
        let position = outer.position.appending(path)
        return SchemaLocation(resource: found[position]?.resource ?? outer.resource, position: position)
    }

    /// Returns an error at a location or one of its keywords.
    func error(_ message: String, at location: SchemaLocation, _ keyword: String? = nil) -> JSONSchemaError {
        error(message, at: location, keyword.map { [.name($0)] } ?? [])
    }

    /// Returns an error at a path in a schema.
    func error(_ message: String, at location: SchemaLocation, _ path: [JSONPointer.Token]) -> JSONSchemaError {
        JSONSchemaError(message, at: location.pointer.appending(path), in: documents[location.document].address)
    }

    private func location(at position: Position) -> SchemaLocation {
        SchemaLocation(resource: found[position]?.resource ?? 0, position: position)
    }

    private mutating func addResource(
        at address: String,
        document: Int,
        root: JSONPointer,
        inheriting vocabularies: SchemaVocabularies
    ) -> Int {
        let index = resources.count
        resources.append(Resource(address: address, document: document, root: root, vocabularies: vocabularies))
        if resourcesByAddress[CodePoints(address)] == nil { resourcesByAddress[CodePoints(address)] = index }
        return index
    }
}

// MARK: - Finding identifiers

extension SchemaDocuments {
    /// Finds the resources and anchors in a schema and its subschemas, with the stack space of a single level.
    private mutating func scan(_ root: JSON, at start: Position, resource: Int) throws(JSONSchemaError) {
        var open = [(schema: root, position: start, resource: resource)]
        while let (schema, position, outer) = open.popLast() {
            guard found[position] == nil else { continue }
            found[position] = (schema, outer)
            guard case .object(let members) = schema else { continue }
            let resource = try identify(members, at: position, outer: outer)
            found[position] = (schema, resource)
            for (path, subschema) in SchemaKeywords.subschemas(of: members) {
                open.append((subschema, position.appending(path), resource))
            }
        }
    }

    /// Records `$id`, `$schema`, `$anchor` and `$dynamicAnchor`, and returns the resource that the schema belongs to.
    private mutating func identify(
        _ members: JSONObject,
        at position: Position,
        outer: Int
    ) throws(JSONSchemaError) -> Int {
        let location = SchemaLocation(resource: outer, position: position)
        var resource = outer
        if let id = members["$id"] {
            let address = try address(of: id, at: location)
            if address != resources[outer].address {
                if let other = resourcesByAddress[CodePoints(address)], resources[other].document == position.document {
                    throw error("is also the '$id' of another schema", at: location, "$id")
                }
                resource = addResource(
                    at: address,
                    document: position.document,
                    root: position.pointer,
                    inheriting: resources[outer].vocabularies
                )
            }
        }
        if let dialect = members["$schema"], resources[resource].root == position.pointer {
            resources[resource].vocabularies = try vocabularies(of: dialect, "$schema", at: location)
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            guard let value = members[keyword] else { continue }
            guard let name = value.string, Self.isAnchor(name) else {
                throw error("must be a name: letters, digits, '-', '_' and '.'", at: location, keyword)
            }
            if let other = resources[resource].anchors[name], other != position.pointer {
                throw error("is '\(name)', which another schema already uses", at: location, keyword)
            }
            resources[resource].anchors[name] = position.pointer
            if keyword == "$dynamicAnchor" { resources[resource].dynamicAnchors.insert(name) }
        }
        return resource
    }

    private func address(of id: JSON, at location: SchemaLocation) throws(JSONSchemaError) -> String {
        guard let text = id.string else { throw error("must be a URI reference", at: location, "$id") }
        let reference = URIReference(text)
        guard reference.fragment ?? "" == "" else { throw error("must not have a fragment", at: location, "$id") }
        let base = URIReference(resources[location.resource].address)
        return reference.resolved(against: base).withoutFragment.description
    }

    /// Returns the vocabularies of the meta-schema that a keyword names (JSON Schema Core, section 8.1.2).
    private func vocabularies(
        of dialect: JSON,
        _ keyword: String,
        at location: SchemaLocation
    ) throws(JSONSchemaError) -> SchemaVocabularies {
        guard let uri = dialect.string else { throw error("must be the URI of a dialect", at: location, keyword) }
        let address = URIReference(uri).withoutFragment.description
        if MetaSchemas.isStandard(dialect: address) { return .standard }
        guard let metaSchema = registry[address] ?? documents.first(where: { $0.address == address })?.root else {
            throw error("is not a known dialect; expected '\(MetaSchemas.dialect)'", at: location, keyword)
        }
        guard let named = metaSchema["$vocabulary"]?.object else { return .standard }
        var vocabularies = SchemaVocabularies.core
        for (uri, isRequired) in named {
            if let known = SchemaVocabularies(uri: uri) {
                vocabularies.insert(known)
            } else if isRequired == true {
                throw error("requires the unknown vocabulary '\(uri)'", at: location, keyword)
            }
        }
        return vocabularies
    }

    private static func isAnchor(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, first.isASCII, first.properties.isAlphabetic || first == "_" else {
            return false
        }
        return name.unicodeScalars.allSatisfy {
            $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || ["-", "_", "."].contains($0))
        }
    }
}

// MARK: - References

extension SchemaDocuments {
    /// Returns the subschema that a `$ref` or `$dynamicRef` refers to, and the anchor if it names one.
    mutating func resolve(
        _ reference: String,
        _ keyword: String,
        at location: SchemaLocation
    ) throws(JSONSchemaError) -> (location: SchemaLocation, anchor: String?) {
        let (resource, written) = try target(of: reference, keyword, at: location)
        guard let fragment = PercentEncoding.decoded(written) else {
            throw error("has an invalid fragment: expected percent-encoded UTF-8", at: location, keyword)
        }
        let start = resources[resource]
        if fragment.isEmpty {
            return (self.location(at: Position(document: start.document, pointer: start.root)), nil)
        }
        if fragment.utf8.first != UInt8(ascii: "/") {
            guard let pointer = start.anchors[fragment] else {
                let hint = NearestName.of(fragment, among: start.anchors.keys.sorted())
                throw error(unknown("the anchor '\(fragment)'", hint), at: location, keyword)
            }
            return (self.location(at: Position(document: start.document, pointer: pointer)), fragment)
        }
        return (try walk(fragment, from: start, for: location, keyword), nil)
    }

    /// Returns the resource that a reference leads to, and the fragment as it is written.
    private mutating func target(
        of reference: String,
        _ keyword: String,
        at location: SchemaLocation
    ) throws(JSONSchemaError) -> (resource: Int, fragment: String) {
        let address = resources[location.resource].address
        // Nearly all references stay within their own resource.
        if reference.utf8.first == UInt8(ascii: "#"), let own = resourcesByAddress[CodePoints(address)] {
            return (own, String(reference.unicodeScalars.dropFirst()))
        }
        let uri = URIReference(reference).resolved(against: URIReference(address))
        let dialect = documents[location.document].dialect
        guard let resource = try resource(at: uri.withoutFragment.description, referredToFrom: dialect) else {
            throw error("refers to the unknown schema '\(reference)'", at: location, keyword)
        }
        return (resource, uri.fragment ?? "")
    }

    /// Returns the resource at an address, and reads registered documents as needed.
    private mutating func resource(
        at address: String,
        referredToFrom dialect: SchemaDialect
    ) throws(JSONSchemaError) -> Int? {
        if let known = resourcesByAddress[CodePoints(address)] { return known }
        if let document = registry[address] {
            return try read(document, at: address, referredToFrom: dialect).resource
        }
        // It may be the `$id` inside a document that is registered at another address. Documents that cannot be read
        // are skipped here.
        for (uri, document) in registry.registered where resourcesByAddress[CodePoints(uri)] == nil {
            var extended = self
            if (try? extended.read(document, at: uri, referredToFrom: dialect)) != nil { self = extended }
        }
        return resourcesByAddress[CodePoints(address)]
    }

    private mutating func walk(
        _ fragment: String,
        from start: Resource,
        for location: SchemaLocation,
        _ keyword: String
    ) throws(JSONSchemaError) -> SchemaLocation {
        guard let steps = JSONPointer(parsing: fragment) else {
            throw error("has an invalid fragment: expected a JSON Pointer", at: location, keyword)
        }
        let target = Position(document: start.document, pointer: start.root.appending(steps.tokens))
        if found[target] != nil { return self.location(at: target) }
        var pointer = start.root
        var owner = found[Position(document: start.document, pointer: pointer)]?.resource ?? 0
        var value = pointer.resolve(in: documents[start.document].root) ?? .null
        for token in steps.tokens {
            guard let next = JSONPointer([token]).resolve(in: value) else {
                let hint = NearestName.of(token.text, among: value.object?.names ?? [])
                throw error(unknown("'\(token.text)' in '#\(fragment)'", hint), at: location, keyword)
            }
            value = next
            pointer = pointer.appending(token)
            owner = found[Position(document: start.document, pointer: pointer)]?.resource ?? owner
        }
        if mayHaveIdentifiers {
            try scan(value, at: target, resource: owner)
        } else {
            found[target] = (value, owner)
        }
        return self.location(at: target)
    }

    private func unknown(_ what: String, _ hint: String?) -> String {
        "refers to \(what), which does not exist" + (hint.map { "; did you mean '\($0)'?" } ?? "")
    }
}

extension JSONPointer {
    /// Returns the pointer extended by a path.
    func appending(_ path: [Token]) -> JSONPointer {
        JSONPointer(tokens + path)
    }
}
