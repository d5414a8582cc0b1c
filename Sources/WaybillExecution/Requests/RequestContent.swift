import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillRuntime
import WaybillTransport

/// The query and the body of a request, evaluated.
///
/// `params` go to the query for GET, HEAD and DELETE; otherwise they are the body, in the encoding that is asked for, or
/// fields of an explicit form.
struct RequestContent {
    /// The query parameters, those of the path apart.
    private(set) var query: ParameterList
    /// The body.
    private(set) var body = HTTPRequest.Body.none
    /// Whether a secret has gone into the body.
    private(set) var isBodySecret = false
    /// The media type of the body, for a Content-Type field where none is given.
    private(set) var type: String?
    /// What stands between the parts of a body that has several.
    private(set) var boundary: String?

    private let scope: RequestScope
    private var files: FolderBoundary { scope.environment.files }

    init(of settings: Settings, method: String, scope: RequestScope) throws(EvaluationProblem) {
        self.scope = scope
        query = ParameterList(arrays: .repeat)
        for entry in settings.query {
            for value in entry.values.value ?? [] {
                query.add(entry.name.value, try value.text(in: scope.scope(entry.values.level)))
            }
        }
        let params = settings.params
        var fields = ParameterList(arrays: settings.arrays?.value ?? .brackets)
        let isInQuery = ["GET", "HEAD", "DELETE"].contains(method)
        if isInQuery || settings.encoding?.value ?? .form == .form {
            for parameter in params {
                guard let value = parameter.value.value else { continue }
                try fields.add(parameter.name.value, value, in: scope.scope(parameter.value.level))
            }
        }
        if isInQuery {
            for (name, value) in fields.pairs { query.add(name, ComputedText(text: value, isSecret: fields.isSecret)) }
            fields = ParameterList(arrays: settings.arrays?.value ?? .brackets)
        }
        if let body = settings.body {
            // The rules find this unless the method is computed.
            if !isInQuery, !body.value.takesFields, let parameter = params.first(where: { $0.value.value != nil }) {
                throw EvaluationProblem(
                    message: "'params' would be the body of a \(method), and there is an explicit one",
                    span: parameter.name.span
                )
            }
            try setBody(body, fields: fields)
        } else if !isInQuery, !params.isEmpty {
            try setParameters(params, fields: fields, as: settings.encoding)
        }
    }

    /// The body as bytes; `nil` where it is read only when it is sent.
    var bytes: [UInt8]? {
        switch body {
        case .none: []
        case .bytes(let bytes): bytes
        case .file, .parts: nil
        }
    }

    /// The text of a part of the body; notes whether a secret took part in it.
    private mutating func note(_ text: ComputedText) -> String {
        isBodySecret = isBodySecret || text.isSecret
        return text.text
    }

    /// The content of something in the body; notes whether a secret took part in it.
    private mutating func note(_ content: ComputedContent) -> ComputedContent {
        isBodySecret = isBodySecret || content.isSecret
        return content
    }

    /// The value of a part of the body; notes whether a secret took part in it.
    private mutating func note(_ value: ScopeValue) -> JSON {
        isBodySecret = isBodySecret || value.isSecret
        return value.json
    }

    private mutating func set(_ text: String, _ type: String) {
        body = .bytes(Array(text.utf8))
        self.type = type
    }

    private mutating func setBody(
        _ body: Setting<BodyDefinition>,
        fields: ParameterList
    ) throws(EvaluationProblem) {
        let scope = scope.scope(body.level)
        switch body.value {
        case .json(let value):
            set(JSONWriter().string(note(try value.value(in: scope))), "application/json")
        case .plist(let value):
            try setPropertyList(note(try value.value(in: scope)), at: body.span)
        case .text(let value):
            let content = note(try value.content(in: scope))
            self.body = .bytes(content.bytes)
            type = content.mediaType
        case .form(let members):
            var form = fields
            for member in members { try form.add(member.name.value, member.value, in: scope) }
            isBodySecret = form.isSecret
            set(form.form, "application/x-www-form-urlencoded")
        case .base64(let value):
            guard let bytes = note(try value.content(in: scope)).decodedBytes else {
                throw EvaluationProblem(message: "the body is not Base64", span: value.span)
            }
            self.body = .bytes(bytes)
            type = "application/octet-stream"
        case .graphql(let query, let variables):
            var request = JSONObject([("query", .string(note(try query.text(in: scope))))])
            if !variables.isEmpty {
                var values = JSONObject()
                for variable in variables { values[variable.name.value] = note(try variable.value.value(in: scope)) }
                request["variables"] = .object(values)
            }
            set(JSONWriter().string(.object(request)), "application/json")
        case .file(let path):
            self.body = .file(try path.file(within: files, in: scope))
            type = "application/octet-stream"
        case .multipart(let parts):
            var multipart = MultipartBody()
            for (name, value) in fields.pairs { multipart.add(field: name, value) }
            for part in parts { try multipart.add(part, files: files, in: scope) }
            type = multipart.contentType
            boundary = multipart.boundary
            isBodySecret = fields.isSecret || multipart.isSecret
            self.body = multipart.body()
        }
    }

    private mutating func setParameters(
        _ params: [NamedValue],
        fields: ParameterList,
        as encoding: Setting<ParameterEncoding>?
    ) throws(EvaluationProblem) {
        switch encoding?.value ?? .form {
        case .form:
            isBodySecret = fields.isSecret
            set(fields.form, "application/x-www-form-urlencoded")
        case .json: set(JSONWriter().string(.object(try object(params))), "application/json")
        case .plist: try setPropertyList(.object(try object(params)), at: encoding?.span ?? params[0].name.span)
        }
    }

    private mutating func object(_ params: [NamedValue]) throws(EvaluationProblem) -> JSONObject {
        var object = JSONObject()
        for parameter in params {
            guard let value = parameter.value.value else { continue }
            object[parameter.name.value] = note(try value.value(in: scope.scope(parameter.value.level)))
        }
        return object
    }

    private mutating func setPropertyList(_ value: JSON, at span: SourceSpan) throws(EvaluationProblem) {
        do {
            body = .bytes(try PropertyListWriter.xml(value))
            type = "application/x-plist"
        } catch {
            throw EvaluationProblem(message: "this cannot be a property list: \(error)", span: span)
        }
    }
}

extension BodyDefinition {
    /// Whether `params` become fields of the body.
    fileprivate var takesFields: Bool {
        switch self {
        case .form, .multipart: true
        case .json, .plist, .text, .base64, .file, .graphql: false
        }
    }
}
