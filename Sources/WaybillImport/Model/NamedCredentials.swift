/// Credentials as names and values, with the names that Postman has for them.
struct NamedCredentials {
    var type: String
    var values: [String: String]

    private func isEmpty(_ name: String) -> Bool { values[name]?.isEmpty ?? true }

    /// Returns the credentials, and a comment where a person must log in with a browser; nil for an unknown type.
    ///
    /// - Parameter text: Returns a value with its variables.
    func auth(_ text: (String) -> ImportedText) -> (auth: ImportedAuth, note: String?)? {
        func value(_ name: String) -> ImportedText { text(values[name] ?? "") }
        switch type {
        case "noauth": return (.none, nil)
        case "basic", "digest":
            let (username, password) = (value("username"), value("password"))
            return (.basic(username: username, password: password, isDigest: type == "digest"), nil)
        case "bearer": return (.bearer(value("token")), nil)
        case "apikey":
            let position = values["in"] == "query" ? "query" : "header"
            return (.apiKey(in: position, name: values["key"] ?? "X-API-Key", value: value("value")), nil)
        case "awsv4":
            let names = ["region", "service", "accessKey", "secretKey", "sessionToken"]
            return (.awsSigV4(Dictionary(uniqueKeysWithValues: names.map { ($0, value($0)) })), nil)
        case "oauth2": return grant(value).map { ($0, nil) } ?? token(value)
        default: return nil
        }
    }

    /// OAuth 2.0 with a grant that a run can use; nil for another one.
    private func grant(_ value: (String) -> ImportedText) -> ImportedAuth? {
        let grants = [
            "client_credentials": "client_credentials", "password_credentials": "password", "password": "password",
        ]
        guard !isEmpty("accessTokenUrl"), let grant = grants[values["grant_type"] ?? ""] else { return nil }
        var names = [
            ("tokenURL", "accessTokenUrl"), ("clientId", "clientId"), ("clientSecret", "clientSecret"),
            ("scope", "scope"),
        ]
        if grant == "password" { names += [("username", "username"), ("password", "password")] }
        if values["audience"] != nil { names.append(("audience", "audience")) }
        // Exports often leave the credentials out.
        let required = grant == "password" ? ["username", "password"] : ["clientId", "clientSecret"]
        var fields = names.compactMap { key, name -> ImportedField? in
            let text = value(name)
            if !text.isEmpty { return ImportedField(key, text) }
            return required.contains(key) ? ImportedField(key, .ofVariable(key)) : nil
        }
        fields.insert(ImportedField("grant", ImportedText(grant)), at: 1)
        if values["client_authentication"] == "body" { fields.append(ImportedField("clientAuth", "body")) }
        return ImportedAuth(method: "oauth2", members: fields)
    }

    /// OAuth 2.0 with another grant, in which a person logs in with a browser; a run receives the token.
    private func token(_ value: (String) -> ImportedText) -> (auth: ImportedAuth, note: String?) {
        let token = isEmpty("accessToken") ? .ofVariable("accessToken") : value("accessToken")
        let shown = values.sorted { $0.key < $1.key }.filter { !$0.value.isEmpty }
            .map { "\($0.key): \(ImportedAuth.secretMembers.contains($0.key) ? "***" : $0.value)" }
        let text = "OAuth 2.0, where a person logs in with a browser; a run needs the token."
        let note = isEmpty("accessToken") ? "\(text) \(shown.joined(separator: ", "))" : nil
        if values["addTokenTo"] == "queryParams" {
            return (.apiKey(in: "query", name: "access_token", value: token), note)
        }
        let prefix = values["headerPrefix"]?.trimmingSpaces ?? "Bearer"
        if prefix == "Bearer" || prefix.isEmpty { return (.bearer(token), note) }
        return (.apiKey(in: "header", name: "Authorization", value: "\(prefix) \(token)"), note)
    }
}
