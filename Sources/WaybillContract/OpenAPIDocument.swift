import WaybillFormats
package import WaybillJSON

/// An OpenAPI document (3.0, 3.1 or 3.2) with the files that it refers to, and the index of its operations.
///
/// Only the index is made of all operations; `operation(_:)` reads one with its parameters, bodies, responses and schemas.
package struct OpenAPIDocument: Sendable {
    /// An operation that can be called.
    package struct Entry: Sendable {
        /// The operationId, if there is one.
        package let id: String?
        /// The method, in uppercase unless the document writes it otherwise.
        package let method: String
        /// The path with its parameters in braces, as written.
        package let path: String
        /// The summary for people.
        package let summary: String?
        /// The location of the operation.
        package let location: ContractLocation
        /// The location of the path item that contains it.
        let pathItem: ContractLocation
    }

    /// The operations, in the order of the document.
    package private(set) var operations: [Entry] = []
    /// The path items that cannot be read, by path.
    package private(set) var unreadPaths: [(path: String, error: ContractError)] = []

    let documents: ContractDocuments
    private var byID: [CodePoints: [Int]] = [:]

    /// The methods that have a member of a path item (OpenAPI 3.2.0, section 4.9.1).
    private static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"]

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - file: The document.
    ///   - address: Its absolute address.
    ///   - read: Returns the file at an address; `nil` if it cannot be read.
    /// - Throws: If it is not an OpenAPI document.
    package init(
        _ file: ContractFile,
        at address: String,
        _ read: (String) -> ContractFile?
    ) throws(ContractError) {
        try Self.checkVersion(of: file.value, at: ContractLocation(address))
        documents = ContractDocuments(file, at: address, read)
        let root = ContractLocation(address)
        for (path, item) in file.value["paths"]?.object ?? JSONObject() where path.utf8.first == UInt8(ascii: "/") {
            let location = root.appending(.name("paths"), .name(path))
            do {
                try add(path, documents.object(at: location))
            } catch {
                unreadPaths.append((path, error))
            }
            // What is beside a reference is defined, too.
            if item["$ref"] != nil, let members = item.object { add(path, (location, members)) }
        }
    }

    private mutating func add(_ path: String, _ item: (location: ContractLocation, members: JSONObject)) {
        for (name, value) in item.members where Self.methods.contains(name) {
            add(name.uppercased(), path, value, at: item.location.appending(.name(name)), in: item.location)
        }
        let additional = "additionalOperations"
        for (method, value) in item.members[additional]?.object ?? JSONObject() {
            add(method, path, value, at: item.location.appending(.name(additional), .name(method)), in: item.location)
        }
    }

    private mutating func add(
        _ method: String,
        _ path: String,
        _ value: JSON,
        at location: ContractLocation,
        in pathItem: ContractLocation
    ) {
        let id = value["operationId"]?.string
        if let id { byID[CodePoints(id), default: []].append(operations.count) }
        operations.append(
            Entry(
                id: id,
                method: method,
                path: path,
                summary: value["summary"]?.string,
                location: location,
                pathItem: pathItem
            )
        )
    }

    private static func checkVersion(of value: JSON, at root: ContractLocation) throws(ContractError) {
        if value["swagger"] != nil {
            throw ContractError(
                "this is a document of OpenAPI 2.0 (Swagger)",
                at: root.appending(.name("swagger")),
                help: "Convert it to OpenAPI 3, for example with 'npx swagger2openapi FILE -o openapi.yaml'."
            )
        }
        guard let version = value["openapi"] else {
            throw ContractError("this is not an OpenAPI document: it has no 'openapi'", at: root)
        }
        let text = version.string ?? version.number?.text ?? ""
        guard ["3.0", "3.1", "3.2"].contains(where: { text == $0 || text.utf8.starts(with: "\($0).".utf8) }) else {
            throw ContractError(
                "this version of OpenAPI is not supported",
                at: root.appending(.name("openapi")),
                help: "Expected 3.0, 3.1 or 3.2."
            )
        }
    }

    /// Returns the operations with a name: an operationId, or a method and a path with a space between them.
    package func entries(named name: String) -> [Entry] {
        let found = byID[CodePoints(name)] ?? []
        guard name.utf8.contains(UInt8(ascii: "/")) else { return found.map { operations[$0] } }
        return operations.indices.filter { index in
            found.contains(index) || operations[index].methodAndPath.utf8.elementsEqual(name.utf8)
        }.map { operations[$0] }
    }

    /// The operationIds that several operations have, each with these operations.
    package var sharedIDs: [(id: String, operations: [Entry])] {
        byID.filter { $0.value.count > 1 }.map { ($0.key.text, $0.value.map { operations[$0] }) }
            .sorted { $0.0.precedesByCodePoints($1.0) }
    }

    /// Returns why the path of a name that is a method and a path cannot be read; `nil` if that is not the reason.
    package func error(ofPathIn name: String) -> ContractError? {
        unreadPaths.first { name.utf8.elementsEqual("\(name.prefix { $0 != " " }) \($0.path)".utf8) }?.error
    }

    /// The title; empty if there is none.
    package var title: String {
        let root = ContractLocation(documents.address)
        return documents.value(at: root.appending(.name("info"), .name("title")))?.string ?? ""
    }

    /// The names of all operations: the operationId, or else the method and the path.
    package var names: [String] { operations.map(\.name) }

    /// The kinds of security schemes (OpenAPI 3.1.1, section 4.8.27), as far as they determine what is sent.
    package enum SecurityScheme: Sendable, Equatable {
        /// A scheme of the Authorization field, in lowercase: `basic`, `bearer`, `digest`.
        case http(String)
        /// A key with this name in `header`, `query` or `cookie`.
        case apiKey(in: String, name: String)
        /// A token of OAuth 2 or OpenID Connect.
        case token
        /// Anything else, such as mutual TLS.
        case other
    }

    /// The security schemes, by name.
    package var securitySchemes: [(name: String, scheme: SecurityScheme)] {
        let components = ContractLocation(documents.address).appending(.name("components"), .name("securitySchemes"))
        return (documents.value(at: components)?.object ?? JSONObject()).map { name, _ in
            let members = (try? documents.object(at: components.appending(.name(name))))?.members ?? JSONObject()
            let scheme: SecurityScheme =
                switch members["type"]?.string {
                case "http": .http(members["scheme"]?.string?.lowercased() ?? "")
                case "apiKey": .apiKey(in: members["in"]?.string ?? "", name: members["name"]?.string ?? "")
                case "oauth2", "openIdConnect": .token
                default: .other
                }
            return (name, scheme)
        }
    }

    /// The address of the first server, if it is absolute, and its location.
    package var server: (url: String, location: ContractLocation)? {
        server(of: ContractLocation(documents.address))
    }

    /// The path of the first server, if its URL is only a path: `/v1`.
    package var serverPath: String? {
        let list = ContractLocation(documents.address).appending(.name("servers"), .index(0), .name("url"))
        let url = documents.value(at: list)?.string ?? ""
        return url.utf8.first == UInt8(ascii: "/") && url.utf8.count > 1 ? url : nil
    }

    /// Returns the address of the first server of the document, a path item or an operation; `nil` if it is not the absolute
    /// address of a server.
    func server(of owner: ContractLocation) -> (url: String, location: ContractLocation)? {
        let list = owner.appending(.name("servers"), .index(0))
        guard let server = documents.value(at: list), var url = server["url"]?.string else { return nil }
        for (name, variable) in server["variables"]?.object ?? JSONObject() {
            guard let value = variable["default"].flatMap(\.parameterText) else { continue }
            url = url.replacing("{\(name)}", with: value)
        }
        let address = URIReference(url)
        // A query, a fragment or a user name is not permitted (OpenAPI 3.2.0, section 4.6); a brace is of a variable without a
        // value.
        guard ["http", "https"].contains(address.scheme?.lowercased()), address.query == nil, address.fragment == nil,
            let authority = address.authority, !authority.isEmpty, !authority.contains("@"), !url.contains("{")
        else { return nil }
        return (url, list.appending(.name("url")))
    }

    /// Returns the locations of some values, by the file that contains them.
    package func locations(of locations: [ContractLocation]) -> [String: any DocumentLocations] {
        Dictionary(grouping: locations, by: \.address).reduce(into: [:]) { result, group in
            result[group.key] = documents.files[CodePoints(group.key)]?.locations(group.value.map(\.pointer))
        }
    }
}

extension OpenAPIDocument.Entry {
    /// The operationId, or else the method and the path.
    package var name: String { id ?? methodAndPath }

    /// The method and the path: `GET /orders/{id}`.
    package var methodAndPath: String { "\(method) \(path)" }
}
