import WaybillDiagnostics
import WaybillJSON

extension BrunoReader {
    // MARK: Authentication

    /// Returns the credentials of a block `auth:…`; nil, with a loss, for a method that does not exist.
    mutating func auth(_ mode: String, _ file: BruFile) -> ImportedAuth? {
        let block = file["auth:\(mode)"]
        let span = block.map { file.span($0.range) } ?? file.source.start
        var values = Dictionary((block?.pairs ?? []).map { ($0.name, $0.value) }) { _, last in last }
        if mode == "oauth2" { return oauth2(values, file, span) }
        if !(values["profileName"] ?? "").isEmpty { lose("the AWS profile", "give its keys as secrets", at: span) }
        // The names of Postman. What is missing is an input or a secret.
        values["in"] = values["placement"] == "queryparams" ? "query" : "header"
        let keys = [
            ("region", "region"), ("service", "service"), ("accessKey", "accessKeyId"),
            ("secretKey", "secretAccessKey"),
        ]
        for (name, key) in keys { values[name] = (values[key] ?? "").isEmpty ? "{{\(name)}}" : values[key] }
        let isEmpty = ["bearer": "token", "apikey": "key"][mode].map { (values[$0] ?? "").isEmpty } ?? false
        if !isEmpty, let found = NamedCredentials(type: mode, values: values).auth({ text($0, at: span) }) {
            return found.auth
        }
        hideSecrets(block?.pairs ?? [])
        lose("the authentication '\(mode)'", isEmpty ? "it is empty" : "a manifest has no such method", at: span)
        return nil
    }

    private mutating func oauth2(_ values: [String: String], _ file: BruFile, _ span: SourceSpan) -> ImportedAuth {
        let names = [
            "grant_type": "grant_type", "access_token_url": "accessTokenUrl", "client_id": "clientId",
            "client_secret": "clientSecret", "scope": "scope", "username": "username", "password": "password",
            "token_header_prefix": "headerPrefix", "authorization_url": "authUrl", "callback_url": "callbackUrl",
        ]
        var known = Dictionary(uniqueKeysWithValues: names.compactMap { key, name in values[key].map { (name, $0) } })
        known["client_authentication"] = values["credentials_placement"] == "basic_auth_header" ? "header" : "body"
        if values["token_placement"] == "url" { known["addTokenTo"] = "queryParams" }
        let credentials = NamedCredentials(type: "oauth2", values: known)
        guard let (auth, note) = credentials.auth({ expanded(BracedText.text($0).text) }) else { return .none }
        if let note { comments.append(note) }
        let others = Set(values.keys).subtracting(names.keys)
            .subtracting(["credentials_placement", "token_placement", "auto_fetch_token"])
        for name in others.sorted() where !(values[name] ?? "").isEmpty {
            comments.append("OAuth 2.0: \(name): \(PostmanReader.shown(values[name] ?? "", of: name))")
        }
        if auth.method == "oauth2" {
            let prefix = values["token_header_prefix"] ?? "Bearer"
            if prefix.lowercased() != "bearer" || values["token_placement"] == "url" {
                lose("the place of the OAuth 2.0 token", "it is sent as 'Authorization: Bearer'", at: span)
            }
        }
        for block in file.blocks where block.name.hasPrefix("auth:oauth2:") && !block.pairs.isEmpty {
            let reason = "a request for a token has no other parameters"
            lose("the block '\(block.name)'", reason, at: file.span(block.range))
        }
        return auth
    }

    // MARK: Scripts

    /// Returns what a file does before and after a request: variables that it sets, assertions and scripts.
    mutating func scripts(_ file: BruFile) -> ScriptTranslation {
        var result = ScriptTranslation()
        for pair in pairs(["vars:post-response"], file, "variable") {
            let name = pair.name.hasPrefix("@") ? String(pair.name.dropFirst()) : pair.name
            let script = "bru.setVar(\(Self.quoted(name)), \(pair.value))"
            add(script, "the variable '\(pair.name): \(pair.value)'", at: file.span(pair.range), to: &result)
        }
        var changed = Set(result.captures.map(\.variable))
        for block in file.blocks where block.name == "script:post-response" {
            let found = ScriptTranslator.translate(block.text, isTest: true)
            changed.formUnion(found.captures.map(\.variable) + found.losses.flatMap { $0.loss(at: nil).variables })
        }
        for pair in pairs(["assert"], file, "assertion") {
            let what = "the assertion '\(pair.name): \(pair.value)'"
            guard changed.isDisjoint(with: BracedText.text(pair.value).text.variables) else {
                lose(what, "it uses a variable that the response of the request sets", at: file.span(pair.range))
                continue
            }
            guard let script = assertion(pair) else {
                lose(what, "its operand has no counterpart", at: file.span(pair.range))
                continue
            }
            add(script, what, at: file.span(pair.range), to: &result)
        }
        for name in ["script:pre-request", "script:post-response", "tests"] {
            for block in file.blocks where block.name == name {
                let found = ScriptTranslator.translate(block.text, isTest: name != "script:pre-request")
                result.add(found)
                losses += found.losses.map { $0.loss(at: file.line($0.line, of: block)) }
            }
        }
        return result
    }

    private mutating func add(_ script: String, _ what: String, at span: SourceSpan, to result: inout ScriptTranslation)
    {
        let found = ScriptTranslator.translate(script, isTest: true)
        guard let loss = found.losses.first else { return result.add(found) }
        lose(what, loss.reason, at: span)
    }

    private static func quoted(_ text: String) -> String { JSONWriter().string(.string(text)) }

    /// The operators of assertions without an operand, and those with one, as Chai's sentences.
    private static let unary = [
        "isEmpty": "be.empty", "isNotEmpty": "not.be.empty", "isNull": "be.null", "isUndefined": "be.undefined",
        "isDefined": "not.be.undefined", "isTruthy": "be.true", "isFalsy": "be.false", "isJson": "be.an('object')",
        "isNumber": "be.a('number')", "isString": "be.a('string')", "isBoolean": "be.a('boolean')",
        "isArray": "be.an('array')",
    ]
    private static let binary = [
        "eq": "equal", "neq": "not.equal", "gt": "be.above", "gte": "be.least", "lt": "be.below", "lte": "be.most",
        "in": "be.oneOf", "notIn": "not.be.oneOf", "contains": "include", "notContains": "not.include",
        "length": "lengthOf", "matches": "match", "notMatches": "not.match", "startsWith": "startsWith",
        "endsWith": "endsWith", "between": "within",
    ]

    /// Returns an assertion as a sentence of Chai; nil if its operand has no counterpart.
    private mutating func assertion(_ pair: BruFile.Pair) -> String? {
        let name = String(pair.value.prefix { $0 != " " })
        if let sentence = Self.unary[name] { return "expect(\(pair.name)).to.\(sentence)" }
        let isEqual = Self.binary[name] == nil
        let verb = Self.binary[name] ?? "equal"
        // What a secret is compared with is secret.
        if SecretNames.contains(pair.name) {
            let value = pair.value.dropFirst(isEqual ? 0 : name.count).drop { " '\"".contains($0) }
            collection.secrets.add(String(value.prefix { !"'\"".contains($0) }), of: pair.name)
        }
        // Variables are replaced first.
        var operand = ManifestWriter.source(
            text(isEqual ? pair.value : String(pair.value.dropFirst(name.count)), at: nil)
        )
        .trimmingSpaces
        var arguments: [String?]
        switch name {
        case "in", "notIn", "between":
            if operand.hasPrefix("["), operand.hasSuffix("]") { operand = String(operand.dropFirst().dropLast()) }
            arguments = operand.split(separator: ",").map { value(String($0).trimmingSpaces) }
        case "matches", "notMatches":
            if operand.count > 1, operand.hasPrefix("/"), operand.hasSuffix("/") {
                operand = String(operand.dropFirst().dropLast())
            }
            let pattern = operand.replacing("\\/", with: "/").replacing("/", with: "\\/")
            arguments = [operand.isEmpty || operand.contains("{{") ? nil : "/\(pattern)/"]
        default:
            if operand == "undefined", verb.hasSuffix("equal") {
                return "expect(\(pair.name)).to.\(name == "neq" ? "not.be" : "be").undefined"
            }
            arguments = [value(operand)]
        }
        let values = arguments.compactMap { $0 }
        guard values.count == arguments.count else { return nil }
        let list = values.joined(separator: ", ")
        return "expect(\(pair.name)).to.\(verb)(\(name.lowercased().hasSuffix("in") ? "[\(list)]" : list))"
    }

    /// Returns an operand as JavaScript: `true`, a number, a string in quotes or without, or a variable.
    private func value(_ operand: String) -> String? {
        if ["true", "false", "null", "undefined"].contains(operand) { return operand }
        if operand.count > 1, let quote = operand.first, quote == "\"" || quote == "'", operand.last == quote {
            let inner = String(operand.dropFirst().dropLast())
            return inner.contains("{{") ? template(inner.replacing("\\", with: "\\\\")) : Self.quoted(inner)
        }
        if operand.first?.isNumber ?? false || operand.hasPrefix("-") || operand.hasPrefix("."),
            let number = Double(operand)
        {
            // Bruno compares integers that JavaScript cannot represent as strings.
            if number > 9_007_199_254_740_991 { return Self.quoted(operand) }
            return JSONNumber(parsing: operand) == nil ? nil : operand
        }
        guard operand.hasPrefix("{{"), BracedText.text(operand).text.parts.count == 1,
            let name = BracedText.text(operand).text.variables.first
        else { return template(operand) }
        let variable = "bru.getVar(\(Self.quoted(name)))"
        let values = (collection.variables + collection.environments.flatMap(\.variables)).filter { $0.name == name }
        let isNumber = values.contains { $0.value?.literal.flatMap { JSONNumber(parsing: $0) } != nil }
        return isNumber ? "Number(\(variable))" : variable
    }

    /// Returns a text with variables as a template of JavaScript.
    private func template(_ text: String) -> String? {
        guard !text.contains("`") else { return nil }
        let parts = BracedText.text(text).text.parts.map { part in
            switch part {
            case .literal(let text): text
            case .variable(let name): "${bru.getVar(\(Self.quoted(name)))}"
            case .expression(let code): "${\(code)}"
            }
        }
        return "`\(parts.joined())`"
    }
}
