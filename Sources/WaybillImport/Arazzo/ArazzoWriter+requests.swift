import WaybillContract
import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillSchema

extension ArazzoWriter {
    /// Returns the entries of a step that sends a request.
    mutating func requestEntries(
        _ step: YAMLNode,
        _ target: ArazzoTarget,
        _ statuses: Set<Int>
    ) throws(Untranslatable) -> [ManifestEntry] {
        var arguments: [ManifestEntry] = []
        var query: [ManifestEntry] = []
        var headers: [ManifestEntry] = []
        var cookies: [String] = []
        var auth = step["x-security"].flatMap { security($0, of: target) }
        var (service, path) = ("", "")
        var operation: WaybillContract.Operation?
        if case .operation(let source, let name, let known) = target {
            let contract = documents[document].sources[source].document
            operation = contract?.entries(named: name).first.flatMap { try? contract?.operation($0) }
            method = known
        } else if case .request(let source, let known, let url) = target {
            method = known
            let address = ServiceAddress(url)
            path = writer.template(address.path)
            if let source {
                service = documents[document].sources[source].service
            } else if let base = address.base?.literal, ServiceAddress.isUsable(base) {
                service = writer.services.add(writer.literal(base), suggestion: ServiceAddress.serviceName(of: base))
            } else {
                // The value of an expression may be a whole URL.
                path = writer.template(url.split(before: ["?"]).0)
                writer.hasRequestsWithoutService = true
            }
            if let text = address.query, !text.isEmpty {
                let fields = QueryFields.fields(of: text, isExact: false)
                if let fields { query = writer.fieldEntries(fields) } else { path += "?" + writer.template(text) }
            }
            auth = auth ?? address.userInformation.map { writer.authNode(ManifestWriter.basic($0)) }
        }
        let isCall = if case .operation = target { true } else { false }
        // A request that is wrong on purpose is sent as it is.
        var isWrong = !statuses.isDisjoint(with: [400, 422]) && statuses.isDisjoint(with: StatusSet.success)
        for parameter in parameters {
            let input = operation.flatMap { Self.input(parameter, of: $0) }
            let isUnknown = isCall && operation == nil && ["path", "query", "querystring"].contains(parameter.part)
            if let input = input ?? (isUnknown ? parameter.name : nil) {
                let isShared =
                    isUnknown && parameters.contains { $0.name == parameter.name && $0.part != parameter.part }
                let name = isShared ? "\(parameter.part ?? "").\(input)" : input
                var value = node(parameter.value, named: parameter.name)
                let index = operation?.inputNames.firstIndex(of: name)
                let isConstant = !JSONWriter().string(parameter.value.json).contains("$")
                if let known = index.flatMap({ operation?.parameters[$0] }), isConstant, !isWrong,
                    let violation = known.violation(in: parameter.value.json)
                {
                    if let text = parameter.value.text, known.violation(in: .string(text)) == nil {
                        // A number is sent like a string with its digits.
                        value = .string(text)
                    } else {
                        lose("the check of the request", "'\(name)' \(violation.message)", parameter.value)
                        isWrong = true
                    }
                }
                arguments.append(ManifestEntry(name, value))
                continue
            }
            switch parameter.part {
            case "path" where !isCall && path.contains("{\(parameter.name)}"):
                path = path.replacing("{\(parameter.name)}", with: segment(parameter))
            case "query": query.append(ManifestEntry(parameter.name, sent(parameter)))
            case "header" where parameter.name.isToken:
                let value = text(parameter.value, named: parameter.name)
                if parameter.name.lowercased() == "authorization", auth == nil,
                    let found = ManifestWriter.authentication(value)
                {
                    auth = writer.authNode(found)
                } else {
                    headers.append(ManifestEntry(parameter.name, sent(parameter)))
                }
            case "cookie":
                guard case .text(let value) = sent(parameter) else { fallthrough }
                cookies.append("\(parameter.name)=\(value)")
            default:
                let part = parameter.part.map { "a \($0)" } ?? "no"
                lose(
                    "the parameter '\(parameter.name)'",
                    "the request has \(part) parameter with this name",
                    parameter.node
                )
            }
        }
        if !cookies.isEmpty { headers.append(ManifestEntry("Cookie", .text(cookies.joined(separator: "; ")))) }
        let body = try body(step["requestBody"], operation, isCall: isCall, &headers)
        if !isWrong, let payload = step["requestBody"]?["payload"],
            let violation = operation?.body?.preferred.certainViolation(in: payload.json)
        {
            lose("the check of the request", "the body \(violation)", payload)
            isWrong = true
        }
        for name in operation?.requiredInputs ?? [] where !arguments.contains(where: { $0.name == name }) {
            if name == "body", body != nil { continue }
            let input = addInput(name)
            lose("the input '\(name)' of the operation", "the source does not have it; give it as \(input.code)", step)
            arguments.append(ManifestEntry(name, .string("${\(input.code)}")))
        }
        var entries: [ManifestEntry] = []
        switch target {
        case .operation(let source, let name, _):
            let service = documents[document].sources[source].service
            entries.append(ManifestEntry("call", .string("\(service).\(name)")))
            if let body { arguments.append(ManifestEntry("body", body)) }
            if !arguments.isEmpty { entries.append(ManifestEntry("with", .map(arguments))) }
        case .request(_, let method, _):
            entries += address(service, method, path.isEmpty ? "/" : path)
        case .workflow: break
        }
        if !query.isEmpty { entries.append(ManifestEntry("query", .map(query))) }
        if !headers.isEmpty { entries.append(ManifestEntry("headers", .map(headers))) }
        if let auth { entries.append(ManifestEntry("auth", auth)) }
        if !isCall, let body { entries.append(ManifestEntry("body", body)) }
        if isCall, isWrong {
            entries.append(ManifestEntry("contract", .map(("request", .string("off")))))
        }
        return entries
    }

    /// Returns the input of an operation that a parameter is.
    private static func input(_ parameter: ArazzoParameter, of operation: WaybillContract.Operation) -> String? {
        zip(operation.parameters, operation.inputNames).first { known, _ in
            known.part.rawValue == parameter.part
                && (parameter.part == "header"
                    ? known.name.lowercased() == parameter.name.lowercased()
                    : known.name.utf8.elementsEqual(parameter.name.utf8))
        }?.1
    }

    /// Returns a value that is sent as it is written.
    private mutating func sent(_ parameter: ArazzoParameter) -> ManifestNode {
        switch node(parameter.value, named: parameter.name) {
        case .string(let text), .text(let text): .text(text)
        case .literal: .text(parameter.value.text ?? "null")
        case let value: value
        }
    }

    /// Returns a value as a segment of a path.
    private mutating func segment(_ parameter: ArazzoParameter) -> String {
        let text = text(parameter.value, named: parameter.name)
        guard let literal = text.literal else { return writer.template(text) }
        return literal == PercentEncoding.form(literal) ? literal : "${\(ManifestWriter.quoted(literal))}"
    }

    /// Returns the method and the path, and the service if there are several.
    private func address(_ service: String, _ method: String, _ path: String) -> [ManifestEntry] {
        let entry = hasOneService || service.isEmpty ? [] : [ManifestEntry("service", .string(service))]
        guard ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].contains(method) else {
            let request = entry + [ManifestEntry("method", .string(method)), ManifestEntry("path", .string(path))]
            return [ManifestEntry("request", .map(request))]
        }
        return entry + [ManifestEntry(method.lowercased(), .string(path))]
    }

    // MARK: Bodies

    /// Returns the body of a request, for a call the value of its input.
    private mutating func body(
        _ request: YAMLNode?,
        _ operation: WaybillContract.Operation?,
        isCall: Bool,
        _ headers: inout [ManifestEntry]
    ) throws(Untranslatable) -> ManifestNode? {
        guard let request else { return nil }
        reportUnknown(request, ["contentType", "payload", "replacements", "reference"], of: "the request body")
        guard let payload = request["payload"] else { return nil }
        let header = headers.first { $0.name?.lowercased() == "content-type" }
        let written: String? = if case .text(let type)? = header?.value { type } else { nil }
        let type = request["contentType"]?.text ?? written
        let preferred = operation?.body?.preferred.name.fieldValue
        let assumed = type ?? preferred ?? "application/json"
        let isForm = assumed == ManifestWriter.formType
        var value: ManifestNode
        if payload.scalar == nil || payload.json.string == nil {
            value = node(payload, named: "body")
        } else {
            let text = text(payload, named: "body")
            let isValue = text.parts.count == 1 && text.literal == nil
            if let json = ManifestWriter.isJSON(assumed) && !isValue ? writer.jsonNode(text, isExact: false) : nil {
                value = json
            } else if isForm, !isValue, let fields = QueryFields.fields(of: text, isExact: false) {
                value = .map(writer.fieldEntries(fields))
            } else {
                value = .string(writer.template(text))
            }
        }
        for replacement in request["replacements"]?.sequence ?? [] { replace(replacement, in: &value) }
        let isText = if case .string = value { true } else { false }
        var implied = isCall ? preferred ?? "application/json" : ManifestWriter.formType
        defer {
            if header == nil, let type, type != implied { headers.append(ManifestEntry("Content-Type", .text(type))) }
        }
        if isCall { return value }
        if isForm, !isText { return .map(("form", value)) }
        if ManifestWriter.isJSON(assumed),
            !isText || payload.text?.hasPrefix("$") == true || type == nil && payload.scalar == nil
        {
            implied = "application/json"
            return .map(("json", value))
        }
        implied = ""
        if !isText { lose("the form of the body", "a value is not sent as '\(assumed)', but as JSON", payload) }
        return isText ? .map(("text", value)) : .map(("json", value))
    }

    /// Sets a value in a body (Arazzo 1.1.0, section "Payload Replacement Object").
    private mutating func replace(_ replacement: YAMLNode, in body: inout ManifestNode) {
        let target = replacement["target"]?.text ?? ""
        reportUnknown(replacement, ["target", "value", "targetSelectorType"], of: "the replacement of '\(target)'")
        let type = replacement["targetSelectorType"]
        guard let value = replacement["value"], let pointer = JSONPointer(parsing: target),
            (type?["type"]?.text ?? type?.text ?? "jsonpointer") == "jsonpointer"
        else { return lose("the replacement of '\(target)'", "its target is not a JSON Pointer", replacement) }
        let name = pointer.tokens.last?.text ?? "body"
        guard body.set(pointer.tokens[...], to: node(value, named: name)) else {
            return lose("the replacement of '\(target)'", "the payload has no such member", replacement)
        }
    }

    // MARK: Credentials

    /// Returns the credentials of Redocly's extension `x-security`.
    mutating func security(_ list: YAMLNode, of target: ArazzoTarget? = nil) -> ManifestNode? {
        for element in list.sequence ?? [] {
            var scheme: OpenAPIDocument.SecurityScheme?
            if let node = element["scheme"] {
                switch node["type"]?.text {
                case "http": scheme = .http(node["scheme"]?.text?.lowercased() ?? "")
                case "apiKey": scheme = .apiKey(in: node["in"]?.text ?? "", name: node["name"]?.text ?? "")
                case "oauth2", "openIdConnect": scheme = .token
                default: break
                }
            } else if let name = element["schemeName"]?.text, case .operation(let source, _, _)? = target {
                scheme = documents[document].sources[source].document?.securitySchemes.first { $0.name == name }?.scheme
            }
            let values = element["values"]
            let token = values?["token"] ?? values?["accessToken"]
            if scheme == nil, token != nil { scheme = .token }
            if scheme == nil, values?["username"] != nil { scheme = .http("basic") }
            switch scheme {
            case .http("basic"), .http("digest"):
                guard let user = values?["username"], let password = values?["password"] else { break }
                let (name, secret) = (text(user, named: "username"), text(password, named: "password"))
                let auth: ImportedAuth =
                    scheme == .http("basic")
                    ? .basic(username: name, password: secret) : .digest(username: name, password: secret)
                return writer.authNode(auth)
            case .http("bearer"), .token:
                if let token { return writer.authNode(.bearer(text(token, named: "token"))) }
            case .apiKey(let part, let name):
                guard let key = values?["apiKey"] ?? values?["value"], ["header", "query", "cookie"].contains(part)
                else { break }
                return writer.authNode(
                    .apiKey(in: part, name: name, value: text(key, named: SecretNames.secret(for: name)))
                )
            default: break
            }
            lose("the credentials in 'x-security'", "the scheme is not known; name the OpenAPI document, too", element)
        }
        return nil
    }
}

extension ContractMedia {
    /// Returns what the schema does not permit in a payload, whatever its expressions evaluate to.
    fileprivate func certainViolation(in payload: JSON) -> String? {
        let body = payload.string.flatMap { try? JSONParser().parse($0.utf8) } ?? payload
        guard body.object != nil else { return nil }
        return violations(in: body, as: nil).first { violation in
            let value = violation.instanceLocation.resolve(in: body).map { JSONWriter().string($0) } ?? ""
            return ["required", "additionalProperties"].contains(violation.keyword) || !value.contains("$")
        }?.message
    }
}

extension ManifestNode {
    /// Replaces a value inside this one; false if there is none at these names and indices.
    fileprivate mutating func set(_ tokens: ArraySlice<JSONPointer.Token>, to value: ManifestNode) -> Bool {
        guard let token = tokens.first else {
            self = value
            return true
        }
        func position(_ entries: [ManifestEntry], isList: Bool) -> Int? {
            isList
                ? token.index.flatMap { $0 < entries.count ? $0 : nil } : entries.firstIndex { $0.name == token.text }
        }
        switch self {
        case .map(var entries, let isOpen):
            // A new member of an object is added.
            if tokens.count == 1, position(entries, isList: false) == nil {
                entries.append(ManifestEntry(token.text, value))
                self = .map(entries, isOpen: isOpen)
                return true
            }
            guard let index = position(entries, isList: false),
                entries[index].value?.set(tokens.dropFirst(), to: value) == true
            else { return false }
            self = .map(entries, isOpen: isOpen)
        case .list(var entries, let isOpen):
            guard let index = position(entries, isList: true),
                entries[index].value?.set(tokens.dropFirst(), to: value) == true
            else { return false }
            self = .list(entries, isOpen: isOpen)
        default: return false
        }
        return true
    }
}
