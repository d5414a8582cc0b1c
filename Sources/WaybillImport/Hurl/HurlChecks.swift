import WaybillDiagnostics
import WaybillFormats

/// What a response must be like, as checks of a request.
struct HurlChecks {
    let translator: HurlTranslator
    private(set) var checks: [ImportedCheck] = []
    private var known: Set<ImportedCheck> = []
    /// The conditions that a repeated request waits for.
    private(set) var polled: [ImportedText] = []
    private(set) var losses: [ImportLoss] = []
    /// The values of cookies that are secret.
    private(set) var secrets: [ImportedVariable] = []

    init(translator: HurlTranslator) { self.translator = translator }

    private mutating func add(_ check: ImportedCheck) {
        if known.insert(check).inserted { checks.append(check) }
    }

    private mutating func add(condition: ImportedText) { add(.condition(condition, message: nil)) }

    /// Adds all that an entry says about its response.
    mutating func add(_ response: HurlResponse) {
        let isStatusChecked = response.assertions.contains {
            if case .status? = translator.expectation($0) { true } else { false }
        }
        if let status = response.status, HurlResponse.isStatus(status) {
            add(.status([status]))
            polled.append("response.status == \(status)")
        } else {
            if let status = response.status {
                losses.add("the status '\(status)'", "no response has it", at: response.span)
            }
            if !isStatusChecked { add(.status(["2xx", "3xx", "4xx", "5xx"])) }
        }
        addHeaders(response)
        for assertion in response.assertions { add(assertion) }
        if let body = response.body, let span = response.span { add(body, span) }
    }

    private mutating func add(_ assertion: HurlAssertion) {
        let text = String(decoding: assertion.span.file.bytes[assertion.span.range], as: UTF8.self)
        do throws(Untranslatable) {
            if let check = translator.expectation(assertion) {
                add(check)
                if let condition = try? translator.condition(assertion) { polled.append(condition.polled) }
                return
            }
            let condition = try translator.condition(hidingSecrets(assertion))
            add(condition: condition.code)
            polled.append(condition.polled)
        } catch {
            losses.add("the assertion '\(text)'", error.reason, at: assertion.span)
        }
    }

    // MARK: Cookies

    /// Returns an assertion on a cookie with a secret instead of its value.
    private mutating func hidingSecrets(_ assertion: HurlAssertion) -> HurlAssertion {
        guard assertion.query.source.name == "cookie", assertion.query.filters.isEmpty,
            case .string(let text)? = assertion.value, let value = text.literal,
            let name = try? translator.constant(assertion.query.source.arguments[0])
        else { return assertion }
        var result = assertion
        result.value = .string(cookie(name, value))
        return result
    }

    /// The value of a cookie, which is a secret unless it is a short word.
    private mutating func cookie(_ name: String, _ value: String) -> ImportedText {
        guard SecretNames.isValue(value), value.utf8.count >= 8 || SecretNames.contains(name) else {
            return ImportedText(value)
        }
        secrets.append(ImportedVariable(name: name, value: ImportedText(value), isSecret: true))
        return .ofVariable(name)
    }

    // MARK: Header fields

    private mutating func addHeaders(_ response: HurlResponse) {
        let names = response.headers.map { ManifestWriter.source($0.name).lowercased() }
        let indices = Dictionary(grouping: names.indices) { names[$0] }
        for (index, (nameText, value)) in response.headers.enumerated() {
            guard let name = nameText.literal, name.isToken else {
                let what = "the header field '\(ManifestWriter.source(nameText))'"
                losses.add(what, "its name is computed", at: response.span)
                continue
            }
            let field: ImportedText = "response.headers[\(ManifestWriter.quoted(name))]"
            if name.lowercased() == "set-cookie" {
                addCookie(value, isFirst: indices[names[index]]?.first == index, response.span)
                continue
            }
            let isRepeated = indices[names[index]]?.count ?? 0 > 1
            let expected = translator.string(value)
            let condition: ImportedText =
                isRepeated ? "contains(split(\(field), ', '), \(expected))" : "\(field) == \(expected)"
            polled.append("exists(\(field)) && \(condition)")
            if !isRepeated, let text = value.literal, !text.isEmpty, !text.isGlob {
                add(.header(name: name, glob: text))
            } else {
                add(condition: condition)
            }
        }
    }

    /// Adds a field `Set-Cookie`, of which one expectation can be written with its attributes.
    private mutating func addCookie(_ value: ImportedText, isFirst: Bool, _ span: SourceSpan?) {
        let text = ManifestWriter.source(value)
        let pair = text.prefix { $0 != ";" }
        guard let mark = pair.firstIndex(of: "="), value.literal != nil else {
            losses.add("the header field Set-Cookie", "its value is computed", at: span)
            return
        }
        let name = String(pair[..<mark])
        let secret = cookie(name, String(pair[pair.index(after: mark)...]))
        let attributes = text.dropFirst(pair.count)
        if isFirst {
            add(.header(name: "Set-Cookie", glob: "\(name)=\(secret.literal ?? "*")\(attributes)"))
            if secret.literal != nil { return }
        } else if !attributes.isEmpty {
            losses.add("the attributes of the cookie '\(name)'", "only one cookie of a response has them", at: span)
        }
        add(condition: "\(ScriptTranslator.path("response.cookies", name)) == \(translator.string(secret))")
    }

    // MARK: Bodies

    private mutating func addBytes(_ value: HurlLiteral, _ span: SourceSpan) throws(Untranslatable) {
        let query = HurlQuery(source: HurlQuery.Call(name: "bytes"))
        let assertion = HurlAssertion(query: query, predicate: "==", value: value, span: span)
        add(condition: try translator.condition(assertion).code)
    }

    private mutating func add(_ body: HurlBody, _ span: SourceSpan) {
        do throws(Untranslatable) {
            switch body {
            case .json(let text) where translator.decoding == .auto: add(.equals(text, isJSON: true))
            case .json(let text):
                add(condition: "parse(\(translator.body)) == parse(\(translator.string(text)))")
            case .text(let text, _) where text.isEmpty:
                add(condition: "default(\(translator.body), '') == ''")
            case .text(let text, _) where translator.decoding == .text && text.literal != nil:
                add(.equals(text, isJSON: false))
            case .text(let text, _):
                add(condition: "\(translator.body) == \(translator.string(text))")
            case .bytes(let bytes): try addBytes(.bytes(bytes), span)
            case .file(let name): try addBytes(.file(name), span)
            case .graphQL: throw Untranslatable("a response is not GraphQL")
            }
        } catch {
            losses.add("the body of the response", error.reason, at: span)
        }
    }
}

extension HurlResponse {
    /// How the response is decoded, so that each query has its value.
    var decoding: HurlTranslator.Decoding {
        let names = Set((captures.map(\.query) + assertions.map(\.query)).map(\.source.name))
        var result = HurlTranslator.Decoding.auto
        if names.contains("body") || names.contains("regex") { result = .text }
        switch body {
        case .text, .graphQL: result = .text
        case .bytes, .file: return .bytes
        case .json, nil: break
        }
        return names.isDisjoint(with: ["bytes", "sha256", "md5"]) ? result : .bytes
    }

    /// The setting `decoding`; nil if the type of the response says how it is decoded.
    var setting: String? {
        guard decoding == .auto else { return decoding.rawValue }
        let names = (captures.map(\.query) + assertions.map(\.query)).map(\.source.name)
        let type = headers.first { $0.name.literal?.lowercased() == "content-type" }?.value.literal
        let isJSON = if case .json? = body { true } else { names.contains("jsonpath") }
        return isJSON && type.map { !ManifestWriter.isJSON($0) } ?? false ? "json" : nil
    }
}
