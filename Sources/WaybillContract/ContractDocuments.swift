import WaybillFormats
package import WaybillJSON
import WaybillSchema

/// A document of a contract as it was read.
package struct ContractFile: Sendable {
    /// The content.
    package let value: JSON
    /// Returns the locations of some of its values in its text. This may read the whole text.
    package let locations: @Sendable ([JSONPointer]) -> any DocumentLocations

    /// Creates a file.
    package init(_ value: JSON, locations: @escaping @Sendable ([JSONPointer]) -> any DocumentLocations) {
        self.value = value
        self.locations = locations
    }
}

/// An OpenAPI document and the files that it refers to, directly or indirectly. They are only parsed, not checked: what no
/// operation in use needs is never looked up.
struct ContractDocuments: Sendable {
    /// How many references may follow one another.
    private static let longestChain = 64

    let address: String
    /// The dialect of schemas in a file that does not name one.
    let dialect: SchemaDialect
    /// The documents, by address.
    private(set) var files: [CodePoints: ContractFile] = [:]
    private var registry = JSONSchemaRegistry()

    /// - Parameter read: Returns the file at an address; `nil` if it cannot be read.
    init(_ root: ContractFile, at address: String, _ read: (String) -> ContractFile?) {
        self.address = address
        dialect = SchemaDialect(of: root.value)
        add(root, at: address)
        var open = SchemaReferences.external(in: root.value, base: address)
        var seen: Set<CodePoints> = [CodePoints(address)]
        while let next = open.popLast() {
            guard seen.insert(CodePoints(next)).inserted, let file = read(next) else { continue }
            add(file, at: next)
            open += SchemaReferences.external(in: file.value, base: next)
        }
    }

    private mutating func add(_ file: ContractFile, at address: String) {
        files[CodePoints(address)] = file
        registry.register(file.value, at: address)
    }

    /// Returns the value at a location.
    func value(at location: ContractLocation) -> JSON? {
        files[CodePoints(location.address)].flatMap { location.pointer.resolve(in: $0.value) }
    }

    /// Returns the object at a location, or the one that it refers to by `$ref`, with its location.
    ///
    /// - Throws: If the value is not an object, or one of its fields has another type than OpenAPI defines.
    func object(at start: ContractLocation) throws(ContractError) -> (location: ContractLocation, members: JSONObject) {
        let found = try anyObject(at: start)
        for (name, value) in found.members {
            if let expected = FieldTypes.mismatch(of: value, in: name) {
                throw ContractError("'\(name)' must be \(expected)", at: found.location.appending(.name(name)))
            }
        }
        return found
    }

    /// Returns the schema object at a location, or the one that it refers to by `$ref`, with its location. What is wrong in
    /// it is found when it is compiled.
    func schemaObject(
        at start: ContractLocation
    ) throws(ContractError) -> (location: ContractLocation, members: JSONObject) {
        try anyObject(at: start)
    }

    private func anyObject(
        at start: ContractLocation
    ) throws(ContractError) -> (location: ContractLocation, members: JSONObject) {
        var location = start
        for _ in 0..<Self.longestChain {
            guard case .object(let members)? = value(at: location) else {
                throw ContractError("this must be an object", at: location)
            }
            guard let reference = members["$ref"]?.string else { return (location, members) }
            location = try target(of: reference, at: location.appending(.name("$ref")))
        }
        throw ContractError("this reference leads back to itself", at: start)
    }

    /// Returns the location that a reference leads to.
    func target(of reference: String, at location: ContractLocation) throws(ContractError) -> ContractLocation {
        let uri = URIReference(reference).resolved(against: URIReference(location.address))
        let address = uri.withoutFragment.description
        guard files[CodePoints(address)] != nil else {
            let isRemote = uri.scheme != "file"
            var error = ContractError(
                isRemote
                    ? "'\(reference)' is not a file: nothing is fetched from a network"
                    : "the file of the reference '\(reference)' cannot be read",
                at: location,
                help: isRemote ? "Save the document beside this one, and refer to it by its path." : nil
            )
            error.unreadAddress = address
            throw error
        }
        guard let fragment = PercentEncoding.decoded(uri.fragment ?? ""), let pointer = JSONPointer(parsing: fragment),
            value(at: ContractLocation(address, pointer)) != nil
        else {
            throw ContractError("the reference '\(reference)' leads to nothing", at: location)
        }
        return ContractLocation(address, pointer)
    }

    /// Compiles the schema at a location. Formats are checked.
    ///
    /// - Parameter access: Whether it describes what is sent or what is received.
    func schema(at location: ContractLocation, for access: SchemaAccess) throws(ContractError) -> JSONSchema {
        do {
            return try JSONSchema(
                compiling: ["$ref": .string(location.reference)],
                registry: registry,
                assertsFormats: true,
                dialect: dialect,
                access: access
            )
        } catch {
            let isInDocument = files[CodePoints(error.document)] != nil
            let location = isInDocument ? ContractLocation(error.document, error.location) : location
            // The reason may be a file that cannot be read.
            if error.location.tokens.last == .name("$ref"), let reference = value(at: location)?.string {
                _ = try target(of: reference, at: location)
            }
            throw ContractError("this is not a valid schema: it \(error.message)", at: location)
        }
    }

    /// Returns the locations that a value refers to, directly or indirectly, each once, in the order of their references.
    func referred(from start: ContractLocation) -> [ContractLocation] {
        var found: [ContractLocation] = []
        var seen: Set<ContractLocation> = [start]
        var open = [start]
        while let location = open.popLast() {
            guard let value = value(at: location) else { continue }
            for reference in SchemaReferences.references(in: value).reversed() {
                guard let target = try? target(of: reference, at: location), seen.insert(target).inserted else {
                    continue
                }
                found.append(target)
                open.append(target)
            }
        }
        return found
    }
}

/// The types of the fixed fields of OpenAPI's objects other than schemas. A field has the same type wherever it occurs
/// (OpenAPI 3.2.0, section 4).
private enum FieldTypes {
    private static let mappings: Set = [
        "additionalOperations", "callbacks", "content", "encoding", "examples", "headers", "links", "responses",
        "variables",
    ]
    private static let lists: Set = ["parameters", "security", "servers"]
    private static let flags: Set = ["allowEmptyValue", "allowReserved", "deprecated", "explode", "required"]
    private static let strings: Set = [
        "contentType", "description", "in", "name", "operationId", "scheme", "style", "summary", "type", "url",
    ]

    /// Returns the type that a field must have; `nil` if its value has it, or the field is not known.
    static func mismatch(of value: JSON, in name: String) -> String? {
        switch value {
        case .object where mappings.contains(name), .array where lists.contains(name), .bool where flags.contains(name),
            .string where strings.contains(name):
            nil
        default:
            mappings.contains(name)
                ? "a mapping"
                : lists.contains(name)
                    ? "a list" : flags.contains(name) ? "true or false" : strings.contains(name) ? "a string" : nil
        }
    }
}
