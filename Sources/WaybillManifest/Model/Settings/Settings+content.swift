package import WaybillDiagnostics

/// What a request says.
extension Settings {
    /// The address that paths are added to.
    package var baseURL: Setting<ScalarTemplate>? {
        last(.baseURL) { if case .baseURL(let value) = $0 { value } else { nil } }
    }
    /// An API version, put between base URL and path.
    package var version: Setting<ScalarTemplate>? {
        last(.version) { if case .version(let value) = $0 { value } else { nil } }
    }
    /// How parameters are written into a body.
    package var encoding: Setting<ParameterEncoding>? {
        last(.encoding) { if case .encoding(let value) = $0 { value } else { nil } }
    }
    /// How lists are written in a form or query.
    package var arrays: Setting<ArrayStyle>? {
        last(.arrays) { if case .arrays(let value) = $0 { value } else { nil } }
    }
    /// An explicit body.
    package var body: Setting<any RequestBody>? { last(.body) { if case .body(let value) = $0 { value } else { nil } } }
    /// Credentials.
    package var auth: Setting<Authentication>? { last(.auth) { if case .auth(let value) = $0 { value } else { nil } } }
    /// The User-Agent field.
    package var userAgent: Setting<ScalarTemplate>? {
        last(.userAgent) { if case .userAgent(let value) = $0 { value } else { nil } }
    }

    /// Header fields.
    package var headers: [NamedTexts] {
        all { entry in
            guard case .header(let name, let texts) = entry.value else { return nil }
            return NamedTexts(name: name, values: entry.map { _ in texts })
        }
    }

    /// Query parameters.
    package var query: [NamedTexts] {
        all { entry in
            guard case .query(let name, let texts) = entry.value else { return nil }
            return NamedTexts(name: name, values: entry.map { _ in texts })
        }
    }

    /// Parameters: in the query or in the body, as the method says.
    package var params: [NamedValue] {
        all { entry in
            guard case .parameter(let name, let value) = entry.value else { return nil }
            return NamedValue(name: name, value: entry.map { _ in value })
        }
    }
}

/// A name with texts, as in `headers` and `query`.
package struct NamedTexts: Sendable {
    /// The name, at its place.
    package var name: Spanned<String>
    /// The texts, one field or parameter each; `nil` takes the name away.
    package var values: Setting<[ScalarTemplate]?>
}

/// A name with a value, as in `params`.
package struct NamedValue: Sendable {
    /// The name, at its place.
    package var name: Spanned<String>
    /// The value; `nil` takes the name away.
    package var value: Setting<ValueTemplate?>
}

/// How `params` are written into a body.
package enum ParameterEncoding: String, Sendable, CaseIterable {
    /// `application/x-www-form-urlencoded`
    case form
    /// `application/json`
    case json
    /// A property list in XML.
    case plist
}

/// How a list is written in a form or query.
package enum ArrayStyle: String, Sendable, CaseIterable {
    /// `a[]=1&a[]=2`
    case brackets
    /// `a=1&a=2`
    case `repeat`
}
