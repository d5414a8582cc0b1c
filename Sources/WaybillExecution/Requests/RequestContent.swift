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
///
/// Query fields and parameters that read `request`, such as a signature, are evaluated last, one after the other: each
/// sees those that do not, those before it, and an explicit body that has no parameters.
struct RequestContent {
    /// The query parameters, except those in the path.
    private(set) var query: ParameterList
    private(set) var body: EncodedBody?
    /// The values of `params`, if they are needed.
    private(set) var params: ScopeValue?

    /// No query and no body.
    init() {
        query = ParameterList(arrays: .repeat)
    }

    /// Evaluates the content of a request.
    ///
    /// - Parameters:
    ///   - readsParameters: Whether an expression reads `request.params`.
    ///   - request: Returns the request with a query and a body.
    init(
        of settings: Settings,
        method: String,
        readsParameters: Bool,
        scope: RequestScope,
        request: (ParameterList, [UInt8]?) -> SentRequest
    ) throws(EvaluationFailure) {
        self.init()
        let isInQuery = ["GET", "HEAD", "DELETE"].contains(method)
        var fields = FieldValues(of: settings, isInQuery: isInQuery, readsParameters: readsParameters)
        var signatures: [Int] = []
        for index in settings.entries.indices {
            if settings.entries[index].readsRequest {
                signatures.append(index)
            } else {
                try fields.evaluate(entryAt: index, in: scope)
            }
        }
        let isBodyFirst = !signatures.isEmpty && settings.body?.value.takesFields == false
        if isBodyFirst { try makeBody(of: settings, fields, method, in: scope) }
        for index in signatures {
            let query = fields.query
            var sent = request(query, bytes)
            sent.params = fields.object
            sent.isSecret = query.isSecret || body?.isSecret ?? false
            var scope = scope
            scope.request = sent
            try fields.evaluate(entryAt: index, in: scope)
        }
        query = fields.query
        if readsParameters { params = fields.object }
        if !isBodyFirst { try makeBody(of: settings, fields, method, in: scope) }
    }

    private mutating func makeBody(
        of settings: Settings,
        _ fields: FieldValues,
        _ method: String,
        in scope: RequestScope
    ) throws(EvaluationFailure) {
        if let body = settings.body {
            // Validation reports this unless the method is computed.
            if !fields.isInQuery, !body.value.takesFields,
                let parameter = settings.params.first(where: { $0.value.value != nil })
            {
                throw EvaluationFailure(
                    message: "a \(method) request cannot have both 'params' and 'body': 'params' would be its body",
                    span: parameter.value.name.span
                )
            }
            let context = BodyContext(
                scope: scope.scope(body.level),
                fields: fields.ofForm,
                boundary: scope.environment.files,
                span: body.span
            )
            self.body = try body.value.encoded(in: context)
        } else if !fields.isInQuery, settings.has(ParameterSetting.key) {
            guard let encoding = settings.encoding else {
                body = EncodedBody(form: fields.ofForm)
                return
            }
            switch encoding.value {
            case .form: body = EncodedBody(form: fields.ofForm)
            case .json: body = try EncodedBody(json: fields.object, at: encoding.span)
            case .plist: body = try EncodedBody(propertyList: fields.object, at: encoding.span)
            }
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

    /// Returns a multipart media type with a boundary, and any other media type unchanged.
    static func contentType(_ type: String, boundary: String) -> String {
        var parameters = type.split(separator: ";").map(String.init)
        guard parameters.first?.lowercased().hasPrefix("multipart/") == true else { return type }
        parameters.removeAll { $0.drop { $0 == " " || $0 == "\t" }.lowercased().hasPrefix("boundary=") }
        return parameters.joined(separator: ";") + "; boundary=\(boundary)"
    }
}

/// The values of `query` and `params` that have been evaluated so far, in the order of the settings.
private struct FieldValues {
    let isInQuery: Bool
    private let settings: Settings
    private let arrays: ArrayStyle
    /// Whether a parameter is written as a field of a query or form.
    private let areFields: Bool
    private let needsValues: Bool
    /// The fields and values of settings, by the index of the entry.
    private var lists: [Int: ParameterList] = [:]
    private var values: [Int: ScopeValue] = [:]

    init(of settings: Settings, isInQuery: Bool, readsParameters: Bool) {
        self.settings = settings
        self.isInQuery = isInQuery
        arrays = settings.arrays?.value ?? ArrayStyle.default
        areFields = isInQuery || settings.encoding?.value ?? ParameterEncoding.default == .form
        needsValues = readsParameters || !areFields
    }

    /// Evaluates a query field or a parameter; does nothing for another setting.
    mutating func evaluate(entryAt index: Int, in scope: RequestScope) throws(EvaluationFailure) {
        let entry = settings.entries[index]
        let scope = scope.scope(entry.level)
        if let field = entry.value as? QuerySetting {
            var list = ParameterList(arrays: .repeat)
            for template in field.texts ?? [] {
                for text in try template.texts(of: field.name.value, in: scope) { list.add(field.name.value, text) }
            }
            lists[index] = list
        } else if let parameter = entry.value as? ParameterSetting, let value = parameter.value {
            if areFields {
                var list = ParameterList(arrays: arrays)
                try list.add(parameter.name.value, value, in: scope)
                lists[index] = list
            }
            if needsValues { values[index] = try value.checkedValue(in: scope) }
        }
    }

    /// The query: the fields of `query`, and then the parameters if they are sent there.
    var query: ParameterList {
        var query = ParameterList(arrays: .repeat)
        add(QuerySetting.self, to: &query)
        if isInQuery { add(ParameterSetting.self, to: &query) }
        return query
    }

    /// The parameters as fields of a form.
    var ofForm: ParameterList {
        var form = ParameterList(arrays: arrays)
        if !isInQuery { add(ParameterSetting.self, to: &form) }
        return form
    }

    private func add(_ kind: any SettingDefinition.Type, to list: inout ParameterList) {
        for (index, entry) in settings.entries.enumerated() where type(of: entry.value) == kind {
            if let fields = lists[index] { list.add(fields) }
        }
    }

    /// The parameters as an object.
    var object: ScopeValue {
        var object = JSONObject()
        var isSecret = false
        for (index, entry) in settings.entries.enumerated() {
            guard let parameter = entry.value as? ParameterSetting, let value = values[index] else { continue }
            object[parameter.name.value] = value.json
            isSecret = isSecret || value.isSecret
        }
        return ScopeValue(.object(object), isSecret: isSecret)
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
