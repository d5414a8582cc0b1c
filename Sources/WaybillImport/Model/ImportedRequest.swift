package import WaybillDiagnostics

/// A request of a source.
package struct ImportedRequest: Sendable {
    /// The name that the source gives it; nil if it gives none.
    package var name: String?
    package var description: String?
    package var method = "GET"
    /// The URL with its query, as it is written in the source. Without a scheme, it is `http`.
    package var url: ImportedText
    /// The variables that only this request has, such as `:id` in its path, and their values.
    package var variables: [ImportedVariable] = []
    package var headers: [ImportedField] = []
    /// The header fields that are not sent although the body would have them.
    package var removedFields: [String] = []
    package var body: ImportedBody?
    package var auth: ImportedAuth?
    /// Other settings, such as `timeout`.
    package var settings: [ManifestEntry] = []
    /// The settings of its step only, such as `delay`.
    package var stepSettings: [ManifestEntry] = []
    /// What the request is repeated for.
    package var until: ImportedPolling?
    /// The variables that are computed before the request is sent, and their values.
    package var assignments: [(variable: String, value: ImportedText)] = []
    package var checks: [ImportedCheck] = []
    /// The variables that the response sets.
    package var captures: [ImportedCapture] = []
    /// Whether the run ends after this request.
    package var endsRun = false
    /// The saved responses.
    package var examples: [ImportedExample] = []
    /// Whether the sent bytes must be those of the source, and not only mean the same.
    package var isExact = false
    /// What the source has switched off, as a comment for each.
    package var comments: [String] = []
    /// What was not imported.
    package var losses: [ImportLoss] = []
    /// Where the source has it.
    package var span: SourceSpan?

    /// The texts that are evaluated after the response.
    var checkedTexts: [ImportedText] {
        let conditions = checks.compactMap { check in
            switch check {
            case .condition(let text, _), .equals(let text, _): text
            default: nil
            }
        }
        return captures.map(\.expression) + conditions + (until.map { [$0.condition] } ?? [])
    }
}

/// A name and a value: a header field, or a field of a form.
package struct ImportedField: Sendable, Hashable {
    package var name: String
    package var value: ImportedText

    /// Creates a field.
    package init(_ name: String, _ value: ImportedText) {
        self.name = name
        self.value = value
    }

    /// Whether it is a header field with a name.
    func isNamed(_ other: String) -> Bool {
        name.utf8.count == other.utf8.count && name.lowercased() == other.lowercased()
    }
}

/// Header fields, whose names have no case.
extension [ImportedField] {
    /// The value of the first field with a name.
    subscript(name: String) -> ImportedText? { first { $0.isNamed(name) }?.value }

    func has(_ name: String) -> Bool { self[name] != nil }

    mutating func remove(_ name: String) { removeAll { $0.isNamed(name) } }
}

/// The body of a request.
package enum ImportedBody: Sendable {
    /// Text, and the type that the source sends with it if no header field has one.
    case text(ImportedText, contentType: String?)
    case form([ImportedField])
    case multipart([ImportedPart])
    /// The content of a file, which is never read.
    case file(String, contentType: String?)
    /// A GraphQL request; the variables are JSON.
    case graphQL(query: ImportedText, variables: ImportedText?)
    case bytes([UInt8])
}

/// A part of a multipart body.
package struct ImportedPart: Sendable {
    /// What the part consists of.
    package enum Content: Sendable {
        case text(ImportedText)
        case file(String)
    }

    package var name: String
    package var content: Content
    package var filename: String?
    package var contentType: String?
    package var headers: [ImportedField] = []

    /// Creates a part. An empty media type counts as absent.
    init(
        name: String,
        content: Content,
        filename: String? = nil,
        contentType: String? = nil,
        headers: [ImportedField] = []
    ) {
        (self.name, self.content, self.filename, self.headers) = (name, content, filename, headers)
        self.contentType = contentType == "" ? nil : contentType
    }
}

/// How a request authenticates: a method of the manifest's `auth` with its members.
package struct ImportedAuth: Sendable, Hashable {
    /// The method, such as `basic`; `none` for a request without credentials.
    var method: String
    /// The members, in order. `bearer` and `netrc` have one without a name.
    var members: [ImportedField] = []

    static let none = ImportedAuth(method: "none")

    /// Returns the credentials of a user.
    static func basic(username: ImportedText, password: ImportedText, isDigest: Bool = false) -> ImportedAuth {
        let members = [ImportedField("username", username), ImportedField("password", password)]
        return ImportedAuth(method: isDigest ? "digest" : "basic", members: members)
    }

    static func bearer(_ token: ImportedText) -> ImportedAuth {
        ImportedAuth(method: "bearer", members: [ImportedField("", token)])
    }

    /// Returns an API key in a `header`, the `query` or a `cookie`.
    static func apiKey(in position: String, name: String, value: ImportedText) -> ImportedAuth {
        let members = [("in", ImportedText(position)), ("name", ImportedText(name)), ("value", value)]
        return ImportedAuth(method: "apiKey", members: members.map { ImportedField($0.0, $0.1) })
    }

    /// Returns the credentials in a file.
    static func netrc(_ path: String) -> ImportedAuth {
        ImportedAuth(method: "netrc", members: [ImportedField("", ImportedText(path))])
    }

    /// Returns keys of AWS by the names of members. What is missing is left out, or has its usual value.
    static func awsSigV4(_ values: [String: ImportedText]) -> ImportedAuth {
        let usual: [(name: String, value: ImportedText)] = [
            ("region", "us-east-1"), ("service", "execute-api"), ("accessKey", ""), ("secretKey", ""),
            ("sessionToken", ""),
        ]
        let members = usual.map { name, usual in
            ImportedField(name, values[name].flatMap { $0.isEmpty ? nil : $0 } ?? usual)
        }
        return ImportedAuth(
            method: "awsSigV4",
            members: members.filter { $0.name != "sessionToken" || !$0.value.isEmpty }
        )
    }

    /// Returns the credentials of `user:password` as options of curl have them.
    ///
    /// - Parameters:
    ///   - signature: The value of `--aws-sigv4`.
    ///   - url: The URL, whose host may have a region and a service.
    static func user(
        _ text: ImportedText,
        isDigest: Bool,
        signature: String?,
        url: ImportedText
    ) -> ImportedAuth {
        let (name, rest) = text.split(before: [":"])
        let password = rest?.droppingFirst(1) ?? .ofVariable("password")
        guard let signature else { return .basic(username: name, password: password, isDigest: isDigest) }
        let parts = signature.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        let host = ServiceAddress(url).base?.literal.map { ServiceAddress.hostLabels($0) } ?? []
        let region = parts.count > 2 && !parts[2].isEmpty ? parts[2] : host.dropFirst().first ?? ""
        let service = parts.count > 3 && !parts[3].isEmpty ? parts[3] : host.first ?? ""
        return .awsSigV4([
            "region": ImportedText(region), "service": ImportedText(service), "accessKey": name, "secretKey": password,
        ])
    }

    /// The value of a member.
    subscript(name: String) -> ImportedText? { members.first { $0.name == name }?.value }

    /// The variables in the credentials.
    var variables: [String] { members.flatMap(\.value.variables) }

    /// The name of the secret in a member; `nil` if the member is not secret.
    func secretName(of member: String) -> String? {
        switch member {
        case "" where method == "bearer": "token"
        case "value": SecretNames.secret(for: self["name"]?.literal ?? "")
        // An API key as the user name, as `curl -u KEY:`.
        case "username" where method == "basic" && self["password"]?.isEmpty == true: "apiKey"
        default: Self.secretMembers.contains(member) ? member : nil
        }
    }

    /// The members whose values are secret.
    static let secretMembers: Set<String> = [
        "secretKey", "accessKey", "sessionToken", "clientSecret", "password", "refreshToken",
    ]
}

/// A condition on a response.
package enum ImportedCheck: Sendable, Hashable {
    /// One of these codes or classes: `200`, `2xx`.
    case status([String])
    /// A header field matches a glob.
    case header(name: String, glob: String)
    /// A condition of the manifest language that reads `$`, `response` and variables, with a message for its failure.
    case condition(ImportedText, message: String?)
    /// The maximum time in milliseconds.
    case maxTime(Int)
    /// The data are a value of JSON, or this text.
    case equals(ImportedText, isJSON: Bool)
}

extension ImportedCheck {
    /// The condition that a status is one of some codes or classes.
    static func condition(status codes: [String], of status: String = "response.status") -> String {
        codes.map { code in
            code.hasSuffix("xx")
                ? "\(status) >= \(code.prefix(1))00 && \(status) <= \(code.prefix(1))99" : "\(status) == \(code)"
        }.joined(separator: " || ")
    }
}

/// The repetition of a request until a condition is true.
package struct ImportedPolling: Sendable {
    /// A condition of the manifest language that reads `$`, `response` and variables.
    package var condition: ImportedText
    /// The other members of `until`.
    package var settings: [ManifestEntry]
}

/// A variable that a response sets.
package struct ImportedCapture: Sendable, Hashable {
    package var variable: String
    /// An expression of the manifest language that reads `$`, `response` and variables.
    package var expression: ImportedText

    /// Creates a capture.
    package init(_ variable: String, _ expression: ImportedText) {
        self.variable = variable
        self.expression = expression
    }
}

/// A saved response.
package struct ImportedExample: Sendable {
    package var name: String?
    package var status: Int?
    package var headers: [ImportedField] = []
    package var body: String?
}
