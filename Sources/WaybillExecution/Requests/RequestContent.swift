import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillRuntime
import WaybillTransport

/// The query and the body of a request, evaluated.
///
/// `params` go to the query for GET, HEAD and DELETE; otherwise they are the body, in the encoding of the settings, or
/// fields of an explicit form.
struct RequestContent {
    /// The query parameters, except those in the path.
    private(set) var query: ParameterList
    private(set) var body: EncodedBody?

    /// No query and no body.
    init() {
        query = ParameterList(arrays: .repeat)
    }

    init(of settings: Settings, method: String, scope: RequestScope) throws(EvaluationFailure) {
        query = ParameterList(arrays: .repeat)
        for entry in settings.query {
            for value in entry.value.texts ?? [] {
                query.add(entry.value.name.value, try value.text(in: scope.scope(entry.level)))
            }
        }
        let params = settings.params
        var fields = ParameterList(arrays: settings.arrays?.value ?? ArrayStyle.default)
        let isInQuery = ["GET", "HEAD", "DELETE"].contains(method)
        if isInQuery || settings.encoding?.value ?? ParameterEncoding.default == .form {
            for parameter in params {
                guard let value = parameter.value.value else { continue }
                try fields.add(parameter.value.name.value, value, in: scope.scope(parameter.level))
            }
        }
        if isInQuery {
            query.add(fields)
            fields = ParameterList(arrays: settings.arrays?.value ?? ArrayStyle.default)
        }
        if let body = settings.body {
            // Validation reports this unless the method is computed.
            if !isInQuery, !body.value.takesFields, let parameter = params.first(where: { $0.value.value != nil }) {
                throw EvaluationFailure(
                    message: "a \(method) request cannot have both 'params' and 'body': 'params' would be its body",
                    span: parameter.value.name.span
                )
            }
            let context = BodyContext(
                scope: scope.scope(body.level),
                fields: fields,
                boundary: scope.environment.files,
                span: body.span
            )
            self.body = try body.value.encoded(in: context)
        } else if !isInQuery, !params.isEmpty {
            body = try Self.parameters(params, fields: fields, as: settings.encoding, in: scope)
        }
    }

    /// Sets the body.
    mutating func set(_ body: EncodedBody) { self.body = body }

    /// The body as bytes; `nil` if it is read only when it is sent.
    var bytes: [UInt8]? {
        switch HTTPRequest.Body(body) {
        case .none: []
        case .bytes(let bytes): bytes
        case .file, .parts: nil
        }
    }

    private static func parameters(
        _ params: [Setting<ParameterSetting>],
        fields: ParameterList,
        as encoding: Setting<ParameterEncoding>?,
        in scope: RequestScope
    ) throws(EvaluationFailure) -> EncodedBody {
        guard let encoding else { return EncodedBody(form: fields) }
        switch encoding.value {
        case .form: return EncodedBody(form: fields)
        case .json: return try EncodedBody(json: try object(params, in: scope), at: encoding.span)
        case .plist: return try EncodedBody(propertyList: try object(params, in: scope), at: encoding.span)
        }
    }

    private static func object(
        _ params: [Setting<ParameterSetting>],
        in scope: RequestScope
    ) throws(EvaluationFailure) -> ScopeValue {
        var object = JSONObject()
        var isSecret = false
        for parameter in params {
            guard let value = try parameter.value.value?.checkedValue(in: scope.scope(parameter.level)) else {
                continue
            }
            object[parameter.value.name.value] = value.json
            isSecret = isSecret || value.isSecret
        }
        return ScopeValue(.object(object), isSecret: isSecret)
    }

    /// Returns a multipart media type with a boundary, and any other media type unchanged.
    static func contentType(_ type: String, boundary: String) -> String {
        var parameters = type.split(separator: ";").map(String.init)
        guard parameters.first?.lowercased().hasPrefix("multipart/") == true else { return type }
        parameters.removeAll { $0.drop { $0 == " " || $0 == "\t" }.lowercased().hasPrefix("boundary=") }
        return parameters.joined(separator: ";") + "; boundary=\(boundary)"
    }
}

extension RequestPlan {
    /// Whether a body contains parameters of a level that other requests share, or is of one. It is sent only to the
    /// origin that the request names.
    func sharesBody(of settings: Settings) -> Bool {
        (settings.params.map(\.span) + (settings.body.map { [$0.span] } ?? [])).contains { !originLimits.isOwn($0) }
    }
}

extension HTTPRequest.Body {
    /// A body as it is sent.
    init(_ body: EncodedBody?) {
        guard let body else {
            self = .none
            return
        }
        switch body.parts.first {
        case .bytes(let bytes) where body.boundary == nil: self = .bytes(bytes)
        case .file(let file) where body.boundary == nil: self = .file(file)
        case .bytes, .file, nil: self = .parts(body.parts)
        }
    }
}
