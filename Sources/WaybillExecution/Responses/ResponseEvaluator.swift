import WaybillContract
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillSchema
import WaybillTransport

/// Evaluates the response of an attempt: status → content type → decoding → filters → outputs →
/// expectations → what is returned.
struct ResponseEvaluator {
    /// The result of evaluating a response.
    struct Evaluation: Sendable {
        /// The decoded response before filters.
        var body: ScopeValue?
        /// The data after filters; `nil` for a poll without data.
        var data: ScopeValue?
        /// The outputs that could be evaluated. A failed expectation does not remove them.
        var outputs: [String: ScopeValue] = [:]
        /// A name that an object of the response has more than once, if there is one.
        var duplicateName: String?
        /// The escapes in the response's JSON that are half of a surrogate pair; see `JSONParser`.
        var loneSurrogates: JSONDocument.LoneSurrogates?
        /// The snapshot to write, if snapshots are updated.
        var snapshot: SnapshotChecker.Update?
        /// What may be neither shown nor kept: it may contain secret outputs that could not be evaluated.
        var hidden: HiddenParts = []
        /// Whether no later poll can make the step pass: the response differs from the contract of its operation.
        var isFinal = false
        /// The differences from the contract of the operation that are not failures.
        var contractWarnings: [RedactedText] = []
        /// The failure, if the response is not accepted.
        var failure: Failure?
    }

    /// Which part of the request's result a response is.
    enum Part {
        /// The only response, or the last one.
        case whole
        /// One page of several: outputs and `returns` are evaluated once, for all of them.
        case page
        /// One response of several with `until`: outputs, expectations and `returns` are evaluated once, for the last one.
        case poll
    }

    let plan: RequestPlan
    let response: HTTPResponse
    let part: Part
    /// Whether later steps use the data.
    let keepsData: Bool
    let expectedStatus: [StatusPattern]
    /// The scope of expressions, with the response.
    var scope: RequestScope
    /// The events of the response, if it is a stream.
    var events: EventCollector?
    var evaluated = Evaluation()
    var redactor: Redactor { scope.context.run.redactor }

    consuming func evaluate() -> Evaluation {
        if let failure = failure() { evaluated.failure = failure }
        return evaluated
    }

    /// Evaluates what is skipped for each page or poll, after the last one, with the data of all pages or of the last
    /// poll.
    ///
    /// - Parameter rejection: The failure of a poll whose status was rejected.
    consuming func conclude(with data: ScopeValue?, after rejection: Failure? = nil) -> Evaluation {
        evaluated.failure = rejection
        // A rejected response without data was not decoded, or was rejected by a filter.
        if rejection != nil, !isSuccess || data == nil { return evaluated }
        if let data { take(data) }
        if part == .poll, let failure = expectationFailure(evaluatingOutputs: true, with: rejection) {
            evaluated.failure = failure
        } else if isSuccess {
            evaluated.failure = (part == .poll ? nil : outputFailure(evaluateOutputs())) ?? returnsFailure()
        }
        return evaluated
    }

    /// Returns events after the filters.
    consuming func filtered(_ events: ScopeValue) throws(Failure) -> ScopeValue {
        take(events)
        if let failure = filter() { throw failure }
        return evaluated.data ?? events
    }

    private var isSuccess: Bool { response.status / 100 == 2 }

    private mutating func failure() -> Failure? {
        let isExpected =
            otherRange == nil && wrongLength == nil
            && expectedStatus.contains { $0.matches(response.status) && (!isUnrequestedPart || $0 == .code(206)) }
        // Outputs are evaluated only for 2xx responses that are accepted.
        if !isExpected || !isSuccess { registerSecretOutputs() }
        let rejection = isExpected ? nil : statusFailure(expectedStatus)
        // A rejected 2xx response may have created something, which its outputs name. The condition of a poll sees the
        // data of responses with any status.
        if let rejection, part != .poll, !isSuccess {
            if !plan.settings.intercept.isEmpty, plan.readsBody {
                evaluated.body = (try? decoder.decode(response)).map { ScopeValue($0.value) }
            }
            return withContract(rejection)
        }
        let dataFailure = dataFailure()
        // They are evaluated after the last page or poll.
        if part != .whole, !redactor.register(secretOutputsOf: plan, in: scope), part == .poll, isSuccess {
            hide()
        }
        if part == .poll {
            if dataFailure != nil { evaluated.data = nil }
            let failure = rejection ?? dataFailure
            guard let contract = contractFailure() else { return failure }
            evaluated.isFinal = true
            return failure.map { adding(contract, to: $0) } ?? contract
        }
        if let failure = rejection ?? dataFailure, dataFailure != nil { return withContract(failure) }
        if let failure = expectationFailure(evaluatingOutputs: part == .whole, with: rejection) {
            return withContract(failure)
        }
        if let failure = contractFailure() { return failure }
        return isSuccess && part == .whole ? returnsFailure() : nil
    }

    /// Whether the response has a part of the content although the request did not ask for a range (RFC 9110, section
    /// 15.3.7), as a broken cache sends it.
    private var isUnrequestedPart: Bool {
        response.status == 206 && scope.request.map { $0.range == nil } ?? false
    }

    /// The `Content-Range` of a part that does not start where the requested range starts; `nil` if the response has no
    /// such part.
    private var otherRange: String? {
        guard response.status == 206, let range = scope.request?.range else { return nil }
        return response.headers.values(named: "Content-Range").first { !range.mayStart($0) }
    }

    /// Why the body is not the part that its `Content-Range` describes; `nil` if it may be. A coded body has another length.
    /// Several parts have their ranges in the body (RFC 9110, section 15.3.7.2).
    private var wrongLength: String? {
        guard response.status == 206, plan.download == nil, !isWithoutContent else { return nil }
        guard let field = response.headers.first(named: "Content-Range") else {
            let type = response.headers.first(named: "Content-Type")?.lowercased() ?? ""
            guard scope.request?.range?.text.lowercased().hasPrefix("bytes") == true,
                !type.hasPrefix("multipart/byteranges")
            else { return nil }
            return "the response is a part of the content, but has no field 'Content-Range' that says which one"
        }
        guard response.headers.first(named: "Content-Encoding") == nil, let bytes = ContentRange(field)?.bytes,
            bytes.count != response.body.count
        else { return nil }
        return
            "the response has \(response.body.count) bytes, not the \(bytes.count) of 'Content-Range: \(field.excerpt(100))'"
    }

    /// Decodes and filters the response.
    private mutating func dataFailure() -> Failure? {
        if isSuccess, let failure = contentTypeFailure() { return failure }
        // The body of a download is in its file.
        if isSuccess, plan.download != nil {
            take(ScopeValue(.null))
            return nil
        }
        if let events, let data = events.data {
            let decoded = events.decoded
            (evaluated.duplicateName, evaluated.loneSurrogates) = (decoded.duplicateName, decoded.loneSurrogates)
            evaluated.body = data
            scope.body = data
            take(data)
            return events.areFiltered ? nil : filter()
        }
        if isSuccess, let failure = emptyBodyFailure() { return failure }
        if !isSuccess, !isBodyRead { return nil }
        let body: ResponseDecoder.Decoded
        do {
            body = isWithoutContent ? .init(value: .null) : try decoder.decode(response)
        } catch {
            registerSecretOutputs()
            let message = error.message + (hiddenBody ?? error.start.map { "; it starts with '\($0)'" } ?? "")
            return Failure(.decode, redactor.text(message), at: span(of: plan.settings.decoding))
        }
        evaluated.duplicateName = body.duplicateName
        evaluated.loneSurrogates = body.loneSurrogates
        var value = ScopeValue(body.value)
        if !isWithoutContent { value.content = decoder.flatContent(of: response, as: body.value) }
        evaluated.body = value
        scope.body = value
        take(value)
        return isWithoutContent ? nil : filter()
    }

    /// Whether anything reads the decoded body of a response with another status than 2xx, whose type may be wrong.
    private var isBodyRead: Bool {
        part != .whole || keepsData || plan.operation != nil || plan.readsBody
    }

    /// Whether the response has no content by definition. Filters are not applied then, so that a service with envelopes
    /// can also respond with 204.
    var isWithoutContent: Bool { scope.isWithoutContent }

    /// Registers the secrets among the outputs before a response that is not accepted is reported: those that can be
    /// evaluated with its decoded body, or with the data so far. If others may be in the body, it is hidden. A response
    /// with an error status, such as that of a login with a wrong password, usually has none of them.
    private mutating func registerSecretOutputs(alsoIn data: JSON? = nil) {
        guard plan.hasSecretOutputs else { return }
        var values = [try? decoder.decode(response).value, events?.data?.json, data].compactMap { $0 }
        let isDecoded = !values.isEmpty
        if let json = try? JSONParser(stopsAtLimit: true).parse(response.body) { values.append(json) }
        var areKnown = false
        // Without a value, the outputs of header fields can be evaluated.
        for value in values.isEmpty ? [.null] : values {
            var scope = scope
            scope.body = ScopeValue(value)
            scope.data = scope.body
            if redactor.register(secretOutputsOf: plan, in: scope) { areKnown = true }
        }
        if areKnown { return }
        if isSuccess || !isDecoded { hide() } else if plan.hasSecretFields { evaluated.hidden = .fields }
    }

    /// Hides the response, which may contain secret outputs that could not be evaluated. All of its data is secret from here
    /// on, and messages that quote it are redacted.
    private mutating func hide() {
        if plan.hasSecretFields { evaluated.hidden.insert(.fields) }
        guard !response.body.isEmpty || events?.data != nil else { return }
        evaluated.hidden.insert(.body)
        evaluated.body?.isSecret = true
        evaluated.data?.isSecret = true
        scope.body?.isSecret = true
        scope.data?.isSecret = true
        let values = [(try? decoder.decode(response))?.value, evaluated.body?.json, evaluated.data?.json]
        for case let value? in values { redactor.register(possibleSecretsIn: value) }
    }

    /// The end of a failure's message if the body is hidden.
    var hiddenBody: String? {
        evaluated.hidden.contains(.body) ? "; the body is not shown, because it may contain secret outputs" : nil
    }

    private mutating func take(_ data: ScopeValue) {
        evaluated.data = data
        scope.data = data
    }

    // MARK: Steps

    private func statusFailure(_ wanted: [StatusPattern]) -> Failure {
        let patterns = wanted.map(\.description).joined(separator: " or ")
        let code = plan.settings.messages.showsCode ? "\(response.status), " : ""
        var message = "the status is \(code)not \(patterns)"
        if isUnrequestedPart, wanted.contains(where: { $0.matches(206) }) {
            message =
                "the response has only a part of the content (status 206), but the request has no field 'Range'; "
                + "if that is intended, use 'expect: {status: 206}'"
        }
        if let otherRange, let range = scope.request?.range {
            message =
                "the response has another part of the content, 'Content-Range: \(otherRange.excerpt(100))', than the "
                + "request asked for with 'Range: \(range.text)'"
        }
        if let wrongLength { message = wrongLength }
        // The words of a server are not worth the memory of a second copy of a large body.
        let body = response.body.count > RunMemory.smallBody ? nil : try? decoder.decode(response)
        // The description of a resource is not the reason for a success.
        let words = isSuccess ? nil : (body?.value).flatMap(serverMessage)
        if let words { message += ": \(words)" }
        if response.status == 401, plan.settings.auth?.value.method is DigestAuthentication,
            let requirement = DigestSupport.unsupportedRequirement(of: response)
        {
            message += "; the server requires digest authentication with \(requirement), which is not supported"
        }
        var failure = Failure(
            .status,
            redactor.text(message),
            code: redactor.code(.number(JSONNumber(response.status))),
            at: span(of: plan.settings.expectedStatus)
        )
        failure.isSpecific = words != nil
        return failure
    }

    /// The server's message in a rejected body: where the filters specify it, or where servers usually put it.
    private func serverMessage(in body: JSON) -> String? {
        for stage in plan.filters {
            var scope = scope.scope(stage.level)
            scope.current = ScopeValue(body)
            if let words = try? stage.value.stage.serverMessage?.value(in: scope).json.string, !words.isEmpty {
                return words
            }
        }
        return ServerMessage.find(in: body)
    }

    private mutating func contentTypeFailure() -> Failure? {
        guard let accept = plan.settings.accept, let ranges = accept.value, !response.body.isEmpty,
            !isWithoutContent
        else { return nil }
        // Of two fields, which is an error, readers may use either one (RFC 9110, section 5.3).
        let types = response.headers.values(named: "Content-Type")
        let other = types.first { type in !ranges.contains { $0.contains(type) } }
        if other == nil, !types.isEmpty { return nil }
        let wanted = ranges.map(\.description).joined(separator: ", ")
        let found = other.map { "the content type is '\($0)'" } ?? "the response has no content type"
        registerSecretOutputs()
        let message = "\(found), not one of \(wanted)\(hiddenBody ?? "")"
        return Failure(.contentType, redactor.text(message), at: accept.span)
    }

    /// The failure of an empty body if JSON or a property list is required, because neither is ever empty (RFC 8259,
    /// section 2).
    private func emptyBodyFailure() -> Failure? {
        guard response.body.isEmpty, !isWithoutContent else { return nil }
        let required: RedactedText? =
            switch decoding {
            case .json: "the response has no body, but 'decoding: json' requires JSON"
            case .plist: "the response has no body, but 'decoding: plist' requires a property list"
            case .xml: "the response has no body, but 'decoding: xml' requires a document"
            case .html: "the response has no body, but 'decoding: html' requires a page"
            case .ndjson, .sse, .csv: decoder.emptyList(of: response).map { redactor.text($0.message) }
            case .auto, .text, .bytes: nil
            }
        if let required { return Failure(.decode, required, at: span(of: plan.settings.decoding)) }
        guard decoding == .auto, let accept = plan.settings.accept, let ranges = accept.value,
            !ranges.isEmpty,
            ranges.allSatisfy(\.isJSON)
        else { return nil }
        return Failure(
            .decode,
            "the response has no body, but 'accept' requires JSON; for a response without a body, set 'accept: null'",
            at: accept.span
        )
    }

    private mutating func filter() -> Failure? {
        guard !plan.filters.isEmpty else { return nil }
        var data = evaluated.data ?? ScopeValue(.null)
        for stage in plan.filters where isSuccess || stage.value.onEveryStatus {
            var scope = scope.scope(stage.level)
            do throws(EvaluationFailure) {
                data = try stage.value.stage.apply(to: data, in: scope, at: stage.span)
            } catch {
                registerSecretOutputs(alsoIn: data.json)
                let code = plan.settings.messages.showsCode ? error.code : nil
                var message = code.map { "\(error.message) (code \($0.words))" } ?? error.message
                // The values of a session are credentials, even if they are not marked as secrets.
                if let item = error.item, hiddenBody == nil, !self.scope.context.isForSession {
                    message += "; the item is \(JSONWriter().excerpt(of: item, 120))"
                }
                var failure = Failure(.filter, redactor.text(message), code: redactor.code(error.code), at: error.span)
                scope.current = data
                failure.isSpecific =
                    stage.value.stage.hasOwnWords
                    || (try? stage.value.stage.serverMessage?.value(in: scope).json.words) == error.message
                return failure
            }
        }
        take(data)
        return nil
    }

    /// Evaluates the outputs, and returns those that could not be evaluated.
    private mutating func evaluateOutputs() -> [Failure.Detail] {
        var errors: [Failure.Detail] = []
        for output in plan.outputs {
            do {
                var value = try output.value.outputValue(in: scope.scope(output.level))
                value.isSecret = value.isSecret || output.isSecret
                // The mark of raw() would be lost when the run is resumed.
                (value.isRaw, value.content) = (false, nil)
                if value.isSecret { try redactor.register(secretsIn: value.json, at: output.value.span) }
                evaluated.outputs[output.name.value] = value
            } catch {
                // What was meant may be elsewhere in the body. The outputs of a session are credentials, too.
                if output.isSecret || scope.context.isForSession { hide() }
                let message = redactor.text("output '\(output.name.value)': \(error.message)\(undecodedReason)")
                errors.append(.init(message, at: error.span))
            }
        }
        return errors
    }

    /// Why the data is a string, if it is JSON with the content type of a text; otherwise empty.
    private var undecodedReason: String {
        guard plan.settings.decoding == nil, let text = evaluated.data?.json.string,
            let start = text.utf8.first, start == UInt8(ascii: "{") || start == UInt8(ascii: "["),
            (try? JSONParser(stopsAtLimit: true).parse(Array(text.utf8))) != nil,
            let type = response.headers.first(named: "Content-Type")
        else { return "" }
        return " (the content type is '\(type)'; 'decoding: json' decodes the response)"
    }

    /// The failure of outputs that could not be evaluated, together with the expectations that do not hold.
    private func outputFailure(_ errors: [Failure.Detail], with unmet: [Failure.Detail] = []) -> Failure? {
        guard let first = errors.first else { return nil }
        let details = errors + unmet
        return Failure(.output, first.message, at: first.span, details: details.count > 1 ? details : [])
    }

    /// Evaluates the outputs of a 2xx response, if requested, and checks the expectations. All violations are reported
    /// together, including that of the status. A missing output takes precedence over them, except over a rejected status,
    /// which may be its cause.
    private mutating func expectationFailure(
        evaluatingOutputs evaluatesOutputs: Bool,
        with rejection: Failure? = nil
    ) -> Failure? {
        let errors = evaluatesOutputs && isSuccess ? evaluateOutputs() : []
        let violations = plan.settings.has(ExpectationSetting.key) ? unmetExpectations() : []
        let unmet = violations.map { Failure.Detail(message(of: $0), at: $0.span) }
        if var rejection {
            if !unmet.isEmpty { rejection.details = [.init(rejection.message, at: rejection.span)] + unmet }
            return rejection
        }
        if let failure = outputFailure(errors, with: unmet) { return failure }
        return Failure(violations, unmet)
    }

    /// The message of an expectation that does not hold. It quotes the data, unless they are hidden.
    private func message(of violation: ExpectationChecker.Violation) -> RedactedText {
        guard let hiddenBody else { return redactor.text(violation.message) }
        return redactor.text("an expectation does not hold" + hiddenBody)
    }

    /// All expectations that do not hold, except that of the status.
    private mutating func unmetExpectations() -> [ExpectationChecker.Violation] {
        let scope = scope
        let checker = ExpectationChecker(
            settings: plan.settings,
            response: response,
            data: evaluated.data ?? ScopeValue(.null),
            scope: scope.scope,
            undecodedReason: undecodedReason
        )
        guard let snapshot = plan.settings.expectedSnapshot, let data = evaluated.data?.json else {
            return checker.violations()
        }
        let compared = SnapshotChecker.check(snapshot, data: data, in: scope)
        evaluated.snapshot = compared.update
        return checker.violations() + compared.violations
    }

    private var decoding: Decoding { plan.settings.decoding?.value ?? Decoding.default }

    private var decoder: ResponseDecoder { ResponseDecoder(decoding: decoding) }

    /// The failure if the data is not what `returns` declares.
    private func returnsFailure() -> Failure? {
        if let returns = plan.returns, returns.isCollection, scope.lacksBody {
            return Failure(.output, "the response has no body, so the list to return is missing", at: returns.span)
        }
        return plan.returnsFailure(of: evaluated.data?.json ?? .null, redactor)
    }

    /// The location of a setting, or of the request if it is not set.
    private func span<Value>(of setting: Setting<Value>?) -> SourceSpan {
        setting?.span ?? plan.address.text.span
    }
}

extension RequestScope {
    /// Whether the response has no content by definition (RFC 9110, sections 9.3.2, 15.3.5, 15.3.6 and 15.4.5).
    var isWithoutContent: Bool { [204, 205, 304].contains(self.response?.status) || self.request?.method == "HEAD" }

    /// Whether the response should have a body and has none, so that a list in it is missing, not empty, whatever filters
    /// make of it. JSON is never empty (RFC 8259, section 2); rows, lines and bytes may be.
    var lacksBody: Bool {
        guard let response = self.response, let body = self.body, response.body.isEmpty, !isWithoutContent,
            context.stream == nil
        else { return false }
        return body.json == .null
            || response.headers.first(named: "Content-Type").map { MediaTypeName($0).isJSON } ?? false
    }
}

extension RequestPlan {
    /// The failure if some data is not what `returns` declares.
    func returnsFailure(of data: JSON, _ redactor: Redactor) -> Failure? {
        guard let returns else { return nil }
        if returns.isCollection, case .array(let elements) = data {
            for (index, element) in elements.enumerated() {
                guard let violation = returns.schema.validate(element, limit: 1).first else { continue }
                let message = redactor.text("element \(index) of the returned list: \(violation.sentence(in: element))")
                return Failure(.output, message, at: returns.span)
            }
            return nil
        }
        if returns.isCollection {
            return Failure(.output, redactor.text("expected a list, found \(data.kind.phrase)"), at: returns.span)
        }
        guard case .object = data else {
            return Failure(.output, redactor.text("expected an object, found \(data.kind.phrase)"), at: returns.span)
        }
        let violation = returns.schema.validate(data, limit: 1).first
        return violation.map { Failure(.output, redactor.text($0.sentence(in: data)), at: returns.span) }
    }
}
