import WaybillFormats
import WaybillJSON
import WaybillSchema

/// An operation of an OpenAPI document, with everything that a request for it needs (OpenAPI 3.1.1, section 4.8.10).
package final class Operation: Sendable {
    /// The entry in the index of the document.
    package let entry: OpenAPIDocument.Entry
    /// The pieces of the path.
    package let path: [PathPiece]
    /// The parameters, those of its path item included.
    package let parameters: [ContractParameter]
    /// The names by which calls give the parameters: their own, with the part of the request before it where several
    /// parameters have it, in the order of `parameters`.
    package let inputNames: [String]
    /// The body; `nil` if the operation takes none.
    package let body: Body?
    /// The responses that are declared.
    package let responses: [ContractResponse]
    /// The alternatives of credentials: in each, the names of the security schemes that are all required.
    package let security: [[String]]
    /// The address of a server of the operation's own, or of its path item's, if it is absolute.
    package let server: (url: String, location: ContractLocation)?
    /// The operation and everything that it refers to, as text: two operations with the same text are the same contract.
    package let text: String

    /// A piece of a path.
    package enum PathPiece: Sendable {
        /// Text as it is sent.
        case literal(String)
        /// The value of a parameter, by its index.
        case parameter(Int)
    }

    /// The body of a request (OpenAPI 3.1.1, section 4.8.13).
    package struct Body: Sendable {
        /// Whether a request must have a body.
        package let isRequired: Bool
        /// The media types, in the order of the document; never empty.
        package let media: [ContractMedia]
        /// The location of the body.
        package let location: ContractLocation

        /// The media type that is sent if a request chooses none: JSON, or else the first one.
        package var preferred: ContractMedia { media.first(where: \.name.isJSON) ?? media[0] }

        /// Returns the media type of the document for a type that a request chooses; `nil` if there is none.
        package func media(for type: MediaTypeName) -> ContractMedia? { self.media.best(for: type) }

        /// Returns the message for a media type that the operation does not take.
        package func message(refusing type: MediaTypeName) -> String {
            let names = media.map(\.name.fieldValue).joined(separator: ", ")
            return "the operation does not take a body of the media type '\(type.text)': expected \(names)"
        }
    }

    init(
        _ entry: OpenAPIDocument.Entry,
        path: [PathPiece],
        parameters: [ContractParameter],
        body: Body?,
        responses: [ContractResponse],
        security: [[String]],
        server: (url: String, location: ContractLocation)?,
        text: String
    ) {
        self.entry = entry
        self.path = path
        self.parameters = parameters
        inputNames = Self.inputNames(of: parameters, hasBody: body != nil)
        self.body = body
        self.responses = responses
        self.security = security
        self.server = server
        self.text = text
    }

    private static func inputNames(of parameters: [ContractParameter], hasBody: Bool) -> [String] {
        var counts: [[UInt8]: Int] = [:]
        for parameter in parameters { counts[Array(parameter.name.utf8), default: 0] += 1 }
        return parameters.map { parameter in
            let isShared = hasBody && parameter.name == "body" || counts[Array(parameter.name.utf8)] != 1
            return isShared ? "\(parameter.part.rawValue).\(parameter.name)" : parameter.name
        }
    }

    /// The names of the inputs to which a call must give values.
    package var requiredInputs: [String] {
        let parameters = zip(inputNames, parameters).filter { $1.isRequired && $1.defaultValue == nil }.map(\.0)
        return parameters + (body?.isRequired == true ? ["body"] : [])
    }

    /// The value of the Accept field: the media types of the responses with a 2xx status; `nil` without any.
    package var acceptField: String? {
        var types: [String] = []
        for response in responses where response.status.isSuccess {
            for media in response.media ?? [] where !types.contains(media.name.fieldValue) {
                types.append(media.name.fieldValue)
            }
        }
        return types.isEmpty ? nil : types.joined(separator: ", ")
    }
}

extension [ContractMedia] {
    /// Returns the media type that matches a type best; `nil` if none does.
    func best(for type: MediaTypeName) -> ContractMedia? {
        compactMap { media in media.name.specificity(for: type).map { (media, $0) } }
            .max { $0.1 < $1.1 }?.0
    }
}

extension [MediaTypeName] {
    /// Returns the type or range that matches a type best; `nil` if none does.
    func best(for type: MediaTypeName) -> MediaTypeName? {
        compactMap { name in name.specificity(for: type).map { (name, $0) } }.max { $0.1 < $1.1 }?.0
    }
}

extension OpenAPIDocument {
    /// Reads an operation with everything that it refers to, and compiles its schemas.
    ///
    /// - Throws: The first error in what the operation uses.
    package func operation(_ entry: Entry) throws(ContractError) -> Operation {
        let (location, members) = try documents.object(at: entry.location)
        var body: Operation.Body?
        if members["requestBody"] != nil { body = try documents.body(at: location.appending(.name("requestBody"))) }
        let parameters = try parameters(of: entry)
        let operation = Operation(
            entry,
            path: try path(of: entry, parameters),
            parameters: parameters,
            body: body,
            responses: try documents.responses(of: location),
            security: try security(members, at: location),
            server: server(of: entry.location) ?? server(of: entry.pathItem),
            text: text(of: entry)
        )
        // Swift compares the names of inputs by canonical equivalence.
        var names: Set<String> = body == nil ? [] : ["body"]
        for (name, parameter) in zip(operation.inputNames, parameters) where !names.insert(name).inserted {
            throw ContractError(
                "the input '\(name)' occurs twice: the names of two parameters differ only in how their characters are "
                    + "encoded, or in 'PART.' before one of them",
                at: parameter.location
            )
        }
        return operation
    }

    /// The parameters of an operation and those of its path item, which it may replace.
    private func parameters(of entry: Entry) throws(ContractError) -> [ContractParameter] {
        var parameters: [ContractParameter] = []
        var indices: [[UInt8]: Int] = [:]
        for owner in [entry.pathItem, entry.location] {
            let list = owner.appending(.name("parameters"))
            var listed = Set<Int>()
            for index in (documents.value(at: list)?.array ?? []).indices {
                let parameter = try documents.parameter(at: list.appending(.index(index)))
                // These are described elsewhere in the document (OpenAPI 3.1.1, section 4.8.12.1).
                if parameter.part == .header,
                    ["accept", "content-type", "authorization"].contains(parameter.name.lowercased())
                {
                    continue
                }
                let key = Array("\(parameter.part.rawValue) \(parameter.name)".utf8)
                let known = indices[key]
                indices[key] = known ?? parameters.count
                if let known { parameters[known] = parameter } else { parameters.append(parameter) }
                // A list must not have a parameter twice (OpenAPI 3.1.1, section 4.8.10.1).
                guard listed.insert(known ?? parameters.count - 1).inserted else {
                    throw ContractError(
                        "the parameter '\(parameter.name)' in '\(parameter.part.rawValue)' is listed twice",
                        at: list.appending(.index(index))
                    )
                }
            }
        }
        return parameters
    }

    private func path(
        of entry: Entry,
        _ parameters: [ContractParameter]
    ) throws(ContractError) -> [Operation.PathPiece] {
        var pieces: [Operation.PathPiece] = []
        let indices = Dictionary(
            uniqueKeysWithValues: parameters.indices.lazy.filter { parameters[$0].part == .path }.map {
                (Array(parameters[$0].name.utf8), $0)
            }
        )
        var unused = indices
        var rest = entry.path[...]
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}") else {
                throw ContractError("the path '\(entry.path)' has a '{' without a '}'", at: entry.pathItem)
            }
            let name = rest[rest.index(after: open)..<close]
            guard let index = indices[Array(name.utf8)] else {
                throw ContractError(
                    "the path has '{\(name)}', but the operation has no parameter in 'path' with this name",
                    at: entry.location
                )
            }
            if open > rest.startIndex { pieces.append(.literal(PercentEncoding.literal(String(rest[..<open])))) }
            pieces.append(.parameter(index))
            unused[Array(name.utf8)] = nil
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(.literal(PercentEncoding.literal(String(rest)))) }
        if let unused = unused.values.min() {
            throw ContractError(
                "the path has no '{\(parameters[unused].name)}', but the operation has a parameter in 'path' with this name",
                at: parameters[unused].location
            )
        }
        return pieces
    }

    private func security(
        _ members: JSONObject,
        at location: ContractLocation
    ) throws(ContractError) -> [[String]] {
        let owner = members["security"] == nil ? ContractLocation(documents.address) : location
        let list = owner.appending(.name("security"))
        guard let written = documents.value(at: list) else { return [] }
        guard let alternatives = written.array else { throw ContractError("'security' must be a list", at: list) }
        var names: [[String]] = []
        for (index, alternative) in alternatives.enumerated() {
            guard let schemes = alternative.object?.names else {
                throw ContractError("this must be a mapping of security schemes", at: list.appending(.index(index)))
            }
            names.append(schemes)
        }
        return names
    }

    private func text(of entry: Entry) -> String {
        let owners = [entry.pathItem.appending(.name("parameters")), entry.location]
        let locations = owners.flatMap { [$0] + documents.referred(from: $0) }
        let root = ContractLocation(documents.address)
        let dialect = ["openapi", "jsonSchemaDialect"].map { root.appending(.name($0)) }
        let values = (dialect + locations).compactMap { documents.value(at: $0).map { JSONWriter().string($0) } }
        return ([entry.methodAndPath] + values).joined(separator: "\n")
    }
}

extension ContractDocuments {
    /// Reads the body of a request; `nil` if it has no media types.
    func body(at start: ContractLocation) throws(ContractError) -> Operation.Body? {
        let (location, members) = try object(at: start)
        guard let media = try media(of: location, for: .sending) else { return nil }
        return Operation.Body(isRequired: members["required"] == true, media: media, location: location)
    }
}
