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
        var cookies: [Template] = []
        var auth: ManifestNode?
        var (service, path) = ("", ImportedText())
        var operation: WaybillContract.Operation?
        if case .operation(let source, let name, let known) = target {
            let contract = documents[document].sources[source].document
            operation = contract?.entries(named: name).first.flatMap { try? contract?.operation($0) }
            method = known
        } else if case .request(let source, let known, let url) = target {
            method = known
            let address = ServiceAddress(url)
            path = address.path
            if let source {
                service = documents[document].sources[source].service
            } else if let base = address.base?.literal, ServiceAddress.isUsable(base) {
                service = writer.services.add(writer.literal(base), suggestion: ServiceAddress.serviceName(of: base))
            } else {
                // The value of an expression may be a whole URL.
                path = url.split(before: ["?"]).0
                writer.hasRequestsWithoutService = true
            }
            if let text = address.query, !text.isEmpty {
                let fields = QueryFields.fields(of: text, isExact: false)
                if let fields { query = writer.fieldEntries(fields) } else { path = "\(path)?\(text)" }
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
                        value = .string(writer.literal(text))
                    } else {
                        lose("the check of the request", "'\(name)' \(violation.message)", parameter.value)
                        isWrong = true
                    }
                }
                arguments.append(ManifestEntry(name, value))
                continue
            }
            switch parameter.part {
            case "path" where !isCall && ManifestWriter.source(path).contains("{\(parameter.name)}"):
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
                cookies.append(writer.literal("\(parameter.name)=") + value)
            default:
                let reason = "the request has \(parameter.part.map { "a \($0)" } ?? "no") parameter with this name"
                lose("the parameter '\(parameter.name)'", reason, parameter.node)
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
            arguments.append(ManifestEntry(name, .string(Template(expression: input.code))))
        }
        var form = RequestForm(method: method ?? "GET", service: service, path: [.fixed(writer.template(path))])
        let parts: [(String, ManifestNode?)] = [
            ("query", query.isEmpty ? nil : .map(query)), ("headers", headers.isEmpty ? nil : .map(headers)),
            ("body", isCall ? nil : body),
        ]
        form.settings = parts.compactMap { name, value in value.map { ManifestEntry(name, $0) } }
        form.auth = auth
        guard case .operation(let source, let name, _) = target else {
            return Array(form.stepEntries(id: "", hasOneService: hasOneService).dropFirst())
        }
        let owner = documents[document].sources[source].service
        var entries = [ManifestEntry("call", .plain("\(owner).\(name)"))]
        if let body { arguments.append(ManifestEntry("body", body)) }
        if !arguments.isEmpty { entries.append(ManifestEntry("with", .map(arguments))) }
        entries += form.settings(withAuth: true)
        if isWrong { entries.append(ManifestEntry("contract", .map(("request", .string("off"))))) }
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
        case .literal: .text(writer.literal(parameter.value.text ?? "null"))
        case let value: value
        }
    }

    /// Returns a value as a segment of a path.
    private mutating func segment(_ parameter: ArazzoParameter) -> ImportedText {
        let text = text(parameter.value, named: parameter.name)
        guard let literal = text.literal else { return text }
        return literal == PercentEncoding.form(literal)
            ? text : ImportedText([.expression(ManifestWriter.quoted(literal))])
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
        let written: String? = if case .text(let type)? = header?.value { type.written } else { nil }
        let type = request["contentType"]?.text ?? written
        let preferred = operation?.body?.preferred.name.fieldValue
        let assumed = type ?? preferred ?? "application/json"
        let isForm = assumed == ManifestWriter.formType
        let value: ManifestNode
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
        for replacement in request["replacements"].elements {
            let target = replacement["target"]?.text ?? ""
            lose("the replacement of '\(target)'", "write the value into the body", replacement)
        }
        let isText = if case .string = value { true } else { false }
        var implied = isCall ? preferred ?? "application/json" : ManifestWriter.formType
        defer {
            if header == nil, let type, type != implied {
                headers.append(ManifestEntry("Content-Type", .text(Template(constant: type))))
            }
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
