import WaybillFormats
package import WaybillJSON
package import WaybillSchema

/// A response that an operation declares (OpenAPI 3.1.1, section 4.8.17).
package struct ContractResponse: Sendable {
    /// The statuses that it describes.
    package enum Status: Sendable, Equatable {
        case code(Int)
        /// The statuses with a first digit: `4XX`.
        case range(Int)
        /// Every status that no other response describes.
        case `default`

        /// Reads the name of a response; `nil` if it is not a status, a class of statuses or `default`.
        init?(_ text: String) {
            if text == "default" {
                self = .default
            } else if let code = Int(text), (100...599).contains(code), text.utf8.count == 3 {
                self = .code(code)
            } else if text.utf8.count == 3, text.utf8.dropFirst().allSatisfy({ $0 | 0x20 == UInt8(ascii: "x") }),
                let digit = text.utf8.first, (UInt8(ascii: "1")...UInt8(ascii: "5")).contains(digit)
            {
                self = .range(Int(digit - UInt8(ascii: "0")))
            } else {
                return nil
            }
        }

        /// Whether it describes statuses from 200 to 299 only.
        package var isSuccess: Bool {
            switch self {
            case .code(let code): code / 100 == 2
            case .range(let digit): digit == 2
            case .default: false
            }
        }

        /// The name in the document.
        package var name: String {
            switch self {
            case .code(let code): "\(code)"
            case .range(let digit): "\(digit)XX"
            case .default: "default"
            }
        }

        /// How exactly it describes a status; `nil` if it does not.
        fileprivate func specificity(for status: Int) -> Int? {
            switch self {
            case .code(let code): code == status ? 2 : nil
            case .range(let digit): digit == status / 100 ? 1 : nil
            case .default: 0
            }
        }
    }

    /// The statuses.
    package let status: Status
    let headers: [ContractHeader]
    /// The media types of the body; `nil` if the document does not describe the body.
    package let media: [ContractMedia]?
    /// The location of the response.
    package let location: ContractLocation

    /// Example values of the header fields that are required.
    package var exampleFields: [(name: String, value: String)] {
        headers.filter(\.isRequired).compactMap { header in header.example.map { (header.name, $0) } }
    }
}

/// A header field of a response (OpenAPI 3.1.1, section 4.8.21).
struct ContractHeader: Sendable {
    let name: String
    let isRequired: Bool
    let schema: JSONSchema?
    /// The schema as written, without `$ref`.
    let document: JSON
    /// Whether the value is JSON, because the field is described by `content`.
    let isJSON: Bool
    let explodes: Bool
    let location: ContractLocation
    let documents: ContractDocuments

    /// The first example, or a value made from the schema.
    var example: String? {
        let writer = ParameterWriter(name: name, style: .simple, explodes: explodes, encoding: .none)
        return documents.example(at: location, for: .receiving).flatMap { value in
            isJSON ? JSONWriter().string(value) : writer.text(of: value)
        }
    }

    /// Whether it is read as JSON, or as the type that its schema names.
    var hasType: Bool { isJSON || TypedText.type(of: document) != nil }

    /// Returns the value of a field in the style `simple`, with the types that its schema has.
    func value(of text: String) -> JSON {
        if isJSON { return (try? JSONParser(stopsAtLimit: true).parse(Array(text.utf8))) ?? .string(text) }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map {
            String($0).withoutOuterBlanks
        }
        switch TypedText.type(of: document) {
        case "array": return .array(parts.map { TypedText.value(of: $0, document["items"] ?? true) })
        case "object":
            let names =
                explodes
                ? parts.map { String($0.prefix { $0 != "=" }) }
                : stride(from: 0, to: parts.count, by: 2).map { parts[$0] }
            let values =
                explodes
                ? parts.map { String($0.drop { $0 != "=" }.dropFirst()) }
                : stride(from: 1, to: parts.count, by: 2).map { parts[$0] }
            return .object(
                JSONObject(
                    zip(names, values).map { name, value in
                        (name: name, value: TypedText.value(of: value, document["properties"]?[name] ?? true))
                    }
                )
            )
        default: return TypedText.value(of: text, document)
        }
    }
}

/// A difference between a response and its contract.
package struct ContractViolation: Sendable {
    /// The message, for people.
    package let message: String
    /// The end of the message with the scalar that was found, which may be a secret.
    package var found = ""
    /// What the response does not satisfy.
    package let location: ContractLocation
}

/// A response as it is compared with its contract.
package struct ReceivedResponse: Sendable {
    /// The body of a response.
    package enum Body: Sendable {
        /// Not checked: a response without a body by definition, as to HEAD or with the status 204, or a download.
        case unchecked
        case empty
        /// A value that was decoded from JSON.
        case json(JSON)
        case text(String)
        /// Anything else.
        case bytes

        /// Why it cannot be a body of JSON, which is never empty (RFC 8259, section 2); `nil` if it is one.
        fileprivate var jsonProblem: String? {
            switch self {
            case .empty: "the body is empty, but must be JSON"
            case .text, .bytes: "the body is not JSON"
            case .json, .unchecked: nil
            }
        }
    }

    /// The status.
    package let status: Int
    /// The header fields, in their order.
    package let headers: [(name: String, value: String)]
    /// The body.
    package let body: Body

    /// Creates a response from its parts.
    package init(status: Int, headers: [(name: String, value: String)], body: Body) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    fileprivate func values(named name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}

extension Operation {
    /// Returns the response that the document declares for a status; `nil` if it declares none.
    package func response(for status: Int) -> ContractResponse? {
        responses.compactMap { response in response.status.specificity(for: status).map { (response, $0) } }
            .max { $0.1 < $1.1 }?.0
    }

    /// Returns the names that the document has for the status and the media type of a response; its own, if the document
    /// does not declare it.
    ///
    /// - Parameters:
    ///   - contentType: The value of its Content-Type; `nil` if it has none.
    ///   - isWithoutContent: Whether it has no body by definition, as to HEAD or with the status 204.
    package func names(
        ofStatus status: Int,
        contentType: String?,
        isWithoutContent: Bool
    ) -> (status: String, mediaType: String?, isDeclared: Bool) {
        let type = contentType.map(MediaTypeName.init)
        guard let declared = response(for: status) else { return ("\(status)", type?.fieldValue, responses.isEmpty) }
        let name = declared.status.name
        guard let media = declared.media else { return (name, nil, true) }
        if let match = type.flatMap(media.best) { return (name, match.name.fieldValue, true) }
        return isWithoutContent && type == nil
            ? (name, media[0].name.fieldValue, true) : (name, type?.fieldValue, false)
    }

    /// The names of the responses that the document declares: each status with each of its media types.
    package var responseNames: [(status: String, mediaType: String?)] {
        responses.flatMap { response -> [(status: String, mediaType: String?)] in
            guard let media = response.media else { return [(response.status.name, nil)] }
            return media.map { (response.status.name, $0.name.fieldValue) }
        }
    }

    /// Returns everything in a response that the contract does not declare.
    package func violations(of response: ReceivedResponse) -> [ContractViolation] {
        // A document that describes no response permits any.
        if responses.isEmpty { return [] }
        guard let declared = self.response(for: response.status) else {
            let names = responses.map(\.status.name).joined(separator: ", ")
            return [
                ContractViolation(
                    message: "the status \(response.status) is not declared: the operation has only \(names)",
                    location: entry.location.appending(.name("responses"))
                )
            ]
        }
        return headerViolations(of: response, declared) + bodyViolations(of: response, declared)
    }

    private func headerViolations(of response: ReceivedResponse, _ declared: ContractResponse) -> [ContractViolation] {
        declared.headers.flatMap { header -> [ContractViolation] in
            let values = response.values(named: header.name)
            guard !values.isEmpty else {
                if !header.isRequired { return [] }
                let message = "the header field '\(header.name)' is missing"
                return [ContractViolation(message: message, location: header.location)]
            }
            guard let schema = header.schema else { return [] }
            let text = values.joined(separator: ", ")
            let value = header.value(of: text)
            // A schema that names no type may mean a number or a Boolean value.
            let readings = header.hasType ? [] : TypedText.readings.map { $0(text, header.document) }
            if readings.contains(where: schema.isValid) { return [] }
            return schema.validate(value, limit: 1).map { violation in
                ContractViolation(
                    message: violation.sentence(on: "the header field '\(header.name)'"),
                    found: violation.found(in: value),
                    location: ContractLocation(of: violation) ?? header.location
                )
            }
        }
    }

    private func bodyViolations(of response: ReceivedResponse, _ declared: ContractResponse) -> [ContractViolation] {
        var isUnchecked = false
        if case .unchecked = response.body { isUnchecked = true }
        guard let media = declared.media else { return [] }
        guard let written = response.values(named: "Content-Type").first else {
            if isUnchecked { return [] }
            var isEmpty = false
            if case .empty = response.body { isEmpty = true }
            let words = isEmpty ? "the response has no body" : "the response has no Content-Type"
            return [ContractViolation(message: "\(words), but the contract declares one", location: declared.location)]
        }
        let type = MediaTypeName(written)
        guard let match = media.best(for: type) else {
            let names = media.map(\.name.fieldValue).joined(separator: ", ")
            return [
                ContractViolation(
                    message: "the media type '\(written)' is not declared for the status \(response.status): "
                        + "expected \(names)",
                    location: declared.location.appending(.name("content"))
                )
            ]
        }
        if isUnchecked { return [] }
        if type.isJSON, let problem = response.body.jsonProblem {
            return [ContractViolation(message: problem, location: match.location)]
        }
        guard let schema = match.schema, let value = Self.value(of: response.body, type) else { return [] }
        // The text may represent a number or a Boolean value (OpenAPI 3.1.1, appendix B).
        if let text = value.string, type.isText,
            TypedText.readings.contains(where: { schema.isValid($0(text, match.schemaDocument)) })
        {
            return []
        }
        let violations = schema.validate(value, limit: ContractMedia.maximumViolations + 1)
        return violations.prefix(ContractMedia.maximumViolations).map { violation in
            ContractViolation(
                message: violation.sentence(on: "the body"),
                found: violation.found(in: value),
                location: ContractLocation(of: violation) ?? match.location
            )
        }
            + (violations.count > ContractMedia.maximumViolations
                ? [ContractViolation(message: "the body has more differences", location: match.location)] : [])
    }

    /// Returns the value that the schema of a media type describes; `nil` if it is not checked.
    private static func value(of body: ReceivedResponse.Body, _ type: MediaTypeName) -> JSON? {
        switch body {
        case .json(let value): value
        case .text(let text): type.isText ? .string(text) : nil
        case .empty: type.isText ? "" : nil
        case .bytes, .unchecked: nil
        }
    }
}

extension ContractLocation {
    /// The location of the keyword that a value violates; `nil` if it is not in a document.
    package init?(of violation: SchemaViolation) {
        let uri = URIReference(violation.absoluteKeywordLocation)
        guard uri.scheme != nil, let fragment = PercentEncoding.decoded(uri.fragment ?? ""),
            let pointer = JSONPointer(parsing: fragment)
        else { return nil }
        self.init(uri.withoutFragment.description, pointer)
    }
}

extension ContractDocuments {
    /// Reads the responses of an operation.
    func responses(of operation: ContractLocation) throws(ContractError) -> [ContractResponse] {
        let list = operation.appending(.name("responses"))
        var responses: [ContractResponse] = []
        guard let written = value(at: list) else { return [] }
        guard let named = written.object else { throw ContractError("this must be an object", at: list) }
        for (name, _) in named where !name.utf8.starts(with: "x-".utf8) {
            let start = list.appending(.name(name))
            guard let status = ContractResponse.Status(name) else {
                throw ContractError("a response must have a status, such as 200 or 4XX, or be 'default'", at: start)
            }
            let (location, members) = try object(at: start)
            let keys = ["description", "summary", "headers", "content", "links"]
            guard members.isEmpty || members.contains(where: { keys.contains($0.name) || $0.name.hasPrefix("x-") })
            else {
                throw ContractError("this is not a response", at: location)
            }
            var headers: [ContractHeader] = []
            for (name, _) in members["headers"]?.object ?? JSONObject() where name.lowercased() != "content-type" {
                headers.append(try header(name, at: location.appending(.name("headers"), .name(name))))
            }
            responses.append(
                ContractResponse(
                    status: status,
                    headers: headers,
                    media: try media(of: location, for: .receiving),
                    location: location
                )
            )
        }
        return responses
    }

    private func header(_ name: String, at start: ContractLocation) throws(ContractError) -> ContractHeader {
        let (location, members) = try object(at: start)
        let json = members["content"]?.object?.names.first { MediaTypeName($0).isJSON }
        let owner = json.map { location.appending(.name("content"), .name($0)) } ?? location
        let schemaLocation = owner.appending(.name("schema"))
        let hasSchema = value(at: schemaLocation) != nil
        return ContractHeader(
            name: name,
            isRequired: members["required"] == true,
            schema: hasSchema ? try schema(at: schemaLocation, for: .receiving) : nil,
            document: hasSchema ? try object(ifSchemaAt: schemaLocation) : true,
            isJSON: json != nil,
            explodes: members["explode"] == true,
            location: owner,
            documents: self
        )
    }
}
