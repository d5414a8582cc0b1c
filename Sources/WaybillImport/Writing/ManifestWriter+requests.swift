import WaybillDiagnostics
import WaybillFormats
import WaybillJSON

extension ManifestWriter {
    /// Returns a request as a form of a step; nil, with a loss, if its URL cannot be used.
    mutating func requestForm(_ request: ImportedRequest) -> RequestForm? {
        var form = RequestForm()
        form.method = request.method
        form.hasOuterAuth = scopes[scopes.count - 1].hasAuth
        let address = ServiceAddress(request.url)
        if let url = variableURL(address) {
            form.path = [.fixed(url)]
            hasRequestsWithoutService = true
        } else {
            guard let service = serviceName(address, request) else { return nil }
            if !hasOneService { form.service = service }
            form.path = pathParts(address.path, request)
            if case .fixed(let start)? = form.path.first, start.written.hasPrefix("//"),
                let base = services.base(of: service)
            {
                // A path with two slashes would be another server.
                form.path[0] = .fixed(base + start)
            }
        }
        form.name = Self.name(method: secrets.masked(request.method), path: address.path.mapLiterals(secrets.masked))
        var auth = request.auth
        var headers = request.headers
        if auth == nil, let user = address.userInformation, !headers.has("authorization") { auth = Self.basic(user) }
        if auth == nil, let found = headers["authorization"].flatMap(Self.authentication) {
            auth = found
            headers.firstIndex { $0.name.lowercased() == "authorization" }.map { _ = headers.remove(at: $0) }
        }
        if !request.isExact, auth != nil, auth != ImportedAuth.none {
            // The credentials replace the header field.
            replacesAuthorization = headers.has("authorization")
            headers.remove("authorization")
        }
        if let query = address.query { addQuery(query, to: &form, isExact: request.isExact, auth: &auth) }
        if request.isExact, request.url.literal?.contains(#/%(?![0-9A-Fa-f]{2})/#) ?? false {
            let reason = "a run sends '%' as '%25' where no two hexadecimal digits follow"
            requestLosses.add("the spelling of the URL", reason, at: request.span)
        }
        let body = bodyForm(request, headers: &headers)
        let removedNames = Set(request.removedFields.map { $0.lowercased() }.filter { !request.headers.has($0) })
        headers.removeAll { removedNames.contains($0.name.lowercased()) }
        let (fields, agent) = headerEntries(headers, request)
        var known = Set(fields.compactMap { $0.name?.lowercased() })
        let removed = request.removedFields.filter { known.insert($0.lowercased()).inserted }
        let all = fields + removed.map { ManifestEntry($0, .literal("null")) }
        if !all.isEmpty { form.settings.append(ManifestEntry("headers", .map(all))) }
        if let body { form.settings.append(ManifestEntry("body", body)) }
        // By default, the names of lists in forms have brackets.
        if case .map(let kinds, _)? = body, kinds.first?.name == "form", case .map(let values, _)? = kinds.first?.value,
            values.contains(where: { if case .list? = $0.value { true } else { false } })
        {
            form.settings.append(ManifestEntry("arrays", .string("repeat")))
        }
        if let agent { form.settings.append(ManifestEntry("userAgent", .text(agent))) }
        form.settings += request.settings
        form.auth = auth.map { authNode($0) }
        return form
    }

    /// Returns the URL if it is one variable whose value may have a path: a service would add a slash to it.
    private mutating func variableURL(_ address: ServiceAddress) -> Template? {
        guard address.path.isEmpty, let base = address.base, base.parts.count == 1,
            case .variable(let name) = base.parts[0]
        else { return nil }
        guard let value = literalValue(of: name), !value.isEmpty else { return template(base) }
        let whole = ServiceAddress(ImportedText(value))
        if whole.query == nil, whole.path.isEmpty || whole.path.literal == "/" { return nil }
        return value.contains("://") ? template(base) : literal(Self.withScheme(value))
    }

    /// Returns the service of a URL, which is added if it is new.
    private mutating func serviceName(_ address: ServiceAddress, _ request: ImportedRequest) -> String? {
        guard let base = address.base else {
            requestLosses.add("the host of the URL", "the source does not have it", at: request.span)
            return services.add(Template(expression: expression(for: "baseUrl")), suggestion: "api")
        }
        if base.parts.count == 1, case .variable(let name) = base.parts[0] {
            let suggestion = ServiceAddress.serviceName(ofVariable: name)
            if uses.isBase(name), let value = literalValue(of: name).map(Self.withScheme),
                ServiceAddress.isUsable(value)
            {
                return services.add(literal(value), suggestion: suggestion, variable: name)
            }
            return services.add(Template(expression: expression(for: name)), suggestion: suggestion)
        }
        guard ServiceAddress.isUsable(base) else {
            let what = "the request \(request.method) \(Self.source(request.url))"
            requestLosses.add(what, "its URL is not an http or https URL", at: request.span)
            return nil
        }
        guard let text = base.literal else { return services.add(template(base), suggestion: "api") }
        return services.add(literal(text), suggestion: ServiceAddress.serviceName(of: text))
    }

    /// The service whose base URL is the value of a variable.
    func serviceOfVariable(_ variable: String) -> String? { services.name(ofVariable: variable) }

    /// The id of a request without a name: `orders` for `GET /api/orders`, `deleteOrders` for other methods.
    private static func name(method: String, path: ImportedText) -> String {
        var last = ""
        for part in path.parts {
            guard case .literal(let text) = part else { continue }
            let words = text.split(separator: "/").filter { !RequestShape.isValue($0) }
                .compactMap { NameForms.identifier(PercentEncoding.decoded(String($0.prefix { $0 != "." })) ?? "") }
            if let word = words.last { last = word }
        }
        guard method != "GET" else { return last.isEmpty ? "root" : last }
        let verb = NameForms.identifier(method.lowercased()) ?? "request"
        return verb + last.prefix(1).uppercased() + last.dropFirst()
    }

    /// Returns the path, in which variables of the request itself are inputs.
    private mutating func pathParts(_ path: ImportedText, _ request: ImportedRequest) -> [RequestForm.PathPart] {
        var parts: [RequestForm.PathPart] = []
        func add(_ text: Template) {
            if case .fixed(let earlier) = parts.last {
                parts[parts.count - 1] = .fixed(earlier + text)
            } else {
                parts.append(.fixed(text))
            }
        }
        for part in path.parts {
            if case .variable(let name) = part, let own = request.variables.first(where: { $0.name == name }) {
                let value = own.value.map { template($0) } ?? Template(expression: expression(for: name))
                parts.append(.input(Self.id(name), value: value))
            } else {
                add(template(ImportedText([part]), isEncoded: true))
            }
        }
        return parts
    }

    /// Adds the query: as a map if that sends the same, otherwise as part of the path.
    private mutating func addQuery(
        _ query: ImportedText,
        to form: inout RequestForm,
        isExact: Bool,
        auth: inout ImportedAuth?
    ) {
        guard !query.isEmpty else {
            if isExact { form.path.append(.fixed("?")) }
            return
        }
        guard var fields = QueryFields.fields(of: query, isExact: isExact) else {
            form.path.append(.fixed("?" + template(query, isEncoded: true)))
            return
        }
        let secret = fields.indices.filter { SecretNames.contains(fields[$0].name) && !fields[$0].value.isEmpty }
        if auth == nil, collection.auth == nil, !form.hasOuterAuth, secret.count == 1,
            !isExact || secret[0] == fields.count - 1
        {
            let key = fields.remove(at: secret[0])
            auth = .apiKey(in: "query", name: key.name, value: key.value)
        }
        if !fields.isEmpty { form.settings.append(ManifestEntry("query", .map(fieldEntries(fields)))) }
    }

    /// Returns fields as entries, those with the same name as a list.
    mutating func fieldEntries(_ fields: [ImportedField]) -> [ManifestEntry] {
        var groups: [(name: String, values: [ManifestNode])] = []
        var positions: [CodePoints: Int] = [:]
        for field in fields {
            let position = positions[CodePoints(field.name), default: groups.count]
            if position == groups.count { groups.append((field.name, [])) }
            positions[CodePoints(field.name)] = position
            groups[position].values.append(.text(template(field.value, named: field.name)))
        }
        return groups.map { ManifestEntry($0.name, $0.values.count == 1 ? $0.values[0] : .list(of: $0.values)) }
    }

    /// Returns the header fields, and the user agent.
    private mutating func headerEntries(
        _ headers: [ImportedField],
        _ request: ImportedRequest
    ) -> ([ManifestEntry], agent: Template?) {
        var fields: [(name: String, values: [Template])] = []
        var positions: [String: Int] = [:]
        var agent: Template?
        for header in headers {
            let name = header.name.lowercased()
            let text = header.value.mapLiterals { $0.isFieldValue ? $0 : "\u{0}" }
            guard header.name.isToken, !text.parts.contains(.literal("\u{0}")) else {
                let what = "the header field '\(header.name)'"
                requestLosses.add(what, "HTTP does not allow its characters", at: request.span)
                continue
            }
            if name == "user-agent" {
                agent = template(header.value)
                continue
            }
            guard name != "content-length", name != "transfer-encoding" else {
                requestLosses.add("the header field '\(header.name)'", "it follows from the body", at: request.span)
                continue
            }
            let value =
                SecretNames.containsHeader(header.name)
                ? secretTemplate(header.value, named: SecretNames.secret(for: header.name)) : template(header.value)
            let position = positions[name, default: fields.count]
            if position == fields.count { fields.append((header.name, [])) }
            positions[name] = position
            fields[position].values.append(value)
        }
        let entries = fields.map { field in
            let values = field.values.map(ManifestNode.text)
            return ManifestEntry(field.name, values.count == 1 ? values[0] : .list(of: values))
        }
        return (entries, agent)
    }

    // MARK: Authentication

    /// The credentials of a header field `Authorization`, if they have the form of a method.
    static func authentication(_ value: ImportedText) -> ImportedAuth? {
        if let token = value.startsWith("Bearer "), !token.isEmpty { return .bearer(token) }
        guard let literal = value.literal, literal.hasPrefix("Basic "),
            let bytes = Base64.decode(String(literal.dropFirst(6))), Base64.encode(bytes) == literal.dropFirst(6),
            let text = String(validating: bytes, as: UTF8.self), text.contains(":")
        else { return nil }
        return basic(ImportedText(text))
    }

    /// The credentials of `user:password`.
    static func basic(_ text: ImportedText) -> ImportedAuth {
        let (user, password) = text.split(before: [":"])
        let decoded = { (text: ImportedText) in text.mapLiterals { PercentEncoding.decoded($0) ?? $0 } }
        return .basic(username: decoded(user), password: password.map { decoded($0.droppingFirst(1)) } ?? "")
    }

    /// Returns credentials as a value of `auth`.
    mutating func authNode(_ auth: ImportedAuth) -> ManifestNode {
        if let name = auth["name"]?.literal, name.hasReference || auth["in"]?.literal != "query" && !name.isToken {
            losses.add("the API key '\(name)'", "its name has characters that are not allowed", at: nil)
            return .plain("none")
        }
        let entries = auth.members.map { member in
            let secret = auth.secretName(of: member.name)
            let value = secret.map { secretTemplate(member.value, named: $0) } ?? template(member.value)
            return ManifestEntry(
                member.name,
                ["in", "name"].contains(member.name) ? .plain(value.written) : .text(value)
            )
        }
        // Also the Base64 text of both.
        if let user = auth["username"].flatMap({ literalValue($0) }),
            let password = auth["password"].flatMap({ literalValue($0) }), !password.isEmpty
        {
            secrets.hide("\(user):\(password)", named: nil)
        }
        guard let first = entries.first else { return .plain(auth.method) }
        return .map((auth.method, first.name == "" ? first.value ?? .map([]) : .map(entries)))
    }

    /// A text as the source writes it.
    static func source(_ text: ImportedText) -> String {
        text.parts.map { part in
            switch part {
            case .literal(let text): text
            case .variable(let name): "{{\(name)}}"
            case .expression(let expression): "${\(expression)}"
            }
        }.joined()
    }
}

/// The query of a URL as names and values.
enum QueryFields {
    /// Returns the fields of a query; nil if a map would send another query.
    ///
    /// - Parameter isExact: Whether the same bytes must be sent, not only the same names and values.
    static func fields(of query: ImportedText, isExact: Bool) -> [ImportedField]? {
        var fields: [ImportedField] = []
        var positions: [CodePoints: Int] = [:]
        for pair in query.split(separator: "&") {
            guard case (let name, let rest?) = pair.split(before: ["="]), let text = name.literal, !text.isEmpty,
                !text.utf8.contains(UInt8(ascii: "+")), let decodedName = PercentEncoding.decoded(text)
            else { return nil }
            var value = ImportedText()
            for part in rest.droppingFirst(1).parts {
                guard case .literal(let text) = part else {
                    value.append(part)
                    continue
                }
                guard !text.utf8.contains(UInt8(ascii: "+")), let decoded = PercentEncoding.decoded(text) else {
                    return nil
                }
                value.append(.literal(decoded))
            }
            // A map has the values of a name next to each other.
            let last = positions.updateValue(fields.count, forKey: CodePoints(decodedName))
            if isExact, let last, last != fields.count - 1 { return nil }
            fields.append(ImportedField(decodedName, value))
        }
        if isExact {
            let sent = fields.map {
                "\(PercentEncoding.component($0.name))=\(PercentEncoding.component($0.value.literal ?? ""))"
            }.joined(separator: "&")
            guard let literal = query.literal, sent == literal else { return nil }
        }
        return fields
    }
}
