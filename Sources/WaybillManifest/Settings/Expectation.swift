// Expectations of responses: `expect`.

package import WaybillDiagnostics
package import WaybillExpressions
import WaybillJSON
package import WaybillSchema

/// One expectation of a response, or of the values of a step (`expect`).
package enum ExpectationSetting: ReadableSetting {
    package static let key = "expect"

    /// The keys under `expect`.
    enum Part: String, CaseIterable {
        case status, headers, json, equals, body, maxTime, time, certificate, snapshot, schema

        /// Whether it is about a response as a whole, not about its data.
        var isOfResponses: Bool {
            switch self {
            case .status, .headers, .maxTime, .time, .certificate: true
            case .json, .equals, .body, .snapshot, .schema: false
            }
        }
    }

    /// The expected statuses.
    case status([StatusTemplate])
    /// A header field and the glob that it must match; `nil` unsets the name.
    case header(Spanned<String>, glob: ScalarTemplate?)
    /// A value that the data must contain.
    case json(ValueTemplate)
    /// A value that the data must equal.
    case equals(ValueTemplate)
    /// A condition on the data.
    case body(Check)
    /// The maximum time that a response may take.
    case maxTime(DurationTemplate)
    /// The maximum time that a phase of the transfer may take.
    case time(TimePhase, DurationTemplate)
    /// A requirement on the server's certificate.
    case certificate(CertificateExpectation)
    /// A file that the data must equal.
    case snapshot(ExpectedSnapshot)
    /// A schema that the data must satisfy.
    case schema(ExpectedSchema)

    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder, _ add: (Self, YAMLNode) -> Void) {
        for (key, value) in node.entries {
            guard let part: Part = decoder.word(key) else { continue }
            switch part {
            case .status: add(.status((value.sequence ?? [value]).compactMap { decoder.status($0) }), value)
            case .headers:
                for (name, value) in decoder.named(value) {
                    add(.header(name, glob: decoder.nonNull(value).flatMap { decoder.scalarTemplate($0) }), value)
                }
            case .json: if let template = decoder.valueTemplate(value) { add(.json(template), value) }
            case .equals: if let template = decoder.valueTemplate(value) { add(.equals(template), value) }
            case .body:
                for condition in value.sequence ?? [] {
                    let check = decoder.check(condition, help: "Use the data, which is '$', as in '$.count > 0'.")
                    if let check { add(.body(check), condition) }
                }
            case .maxTime: if let limit = decoder.timeLimit(value) { add(.maxTime(limit), value) }
            case .time:
                for (phase, value) in value.entries {
                    guard let phase: TimePhase = decoder.word(phase), let limit = decoder.timeLimit(value) else {
                        continue
                    }
                    add(.time(phase, limit), value)
                }
            case .certificate:
                for (key, value) in value.entries {
                    guard let key: CertificateExpectation.Key = decoder.word(key) else { continue }
                    if let part = decoder.certificate(key, value) { add(.certificate(part), value) }
                }
            case .snapshot: if let snapshot = decoder.snapshot(value) { add(.snapshot(snapshot), value) }
            case .schema:
                if let schema = decoder.schema(value) {
                    if schema.acceptsEverything {
                        decoder.diagnostics.report(
                            "invalid-schema",
                            "this schema accepts every value, so nothing is checked",
                            at: value.span,
                            help: ["Add a keyword that restricts the data, such as 'type', or remove 'schema'."]
                        )
                    } else if schema.acceptsScalars {
                        decoder.diagnostics.report(
                            "schema-without-type",
                            "this schema also accepts null, strings, numbers and booleans, and so an empty body",
                            severity: .warning,
                            at: value.span,
                            help: ["Add 'type: object' or 'type: array'."]
                        )
                    }
                    add(.schema(ExpectedSchema(schema: schema, node: value)), value)
                }
            }
        }
    }

    package var merging: SettingMerging {
        switch self {
        case .status: .byName(Part.status.rawValue)
        case .header(let name, let glob):
            // Names of header fields are case-insensitive (RFC 9110, section 5.1).
            .byName("\(Part.headers.rawValue).\(name.value)", ignoringCase: true, isUnset: glob == nil)
        case .json: .byName(Part.json.rawValue)
        case .equals: .byName(Part.equals.rawValue)
        case .body: .adds(name: Part.body.rawValue)
        case .maxTime: .byName(Part.maxTime.rawValue)
        case .time(let phase, _): .byName("\(Part.time.rawValue).\(phase.rawValue)")
        case .certificate(let part): .byName("\(Part.certificate.rawValue).\(part.key.rawValue)")
        case .snapshot: .byName(Part.snapshot.rawValue)
        case .schema: .byName(Part.schema.rawValue)
        }
    }

    package func visitUses(_ visitor: UseVisitor) {
        switch self {
        case .status(let statuses):
            // The expected statuses are evaluated before the request is sent.
            for case .template(let scalar) in statuses { visitor.scalar(scalar, .request, .expectation) }
        case .header(_, let glob): visitor.scalar(glob, .response, .expectation)
        case .json(let value), .equals(let value): visitor.value(value, .response, .expectation)
        case .body(let check):
            visitor.expression(check.that, .response, .expectation)
            visitor.scalar(check.message, .response, .message)
        case .maxTime(let duration), .time(_, let duration): visitor.duration(duration, .response, .expectation)
        case .certificate(let part): if case .name(_, let glob) = part { visitor.scalar(glob, .response, .expectation) }
        case .schema, .snapshot: break
        }
    }

    package var namedFiles: [NamedFile] {
        if case .snapshot(let snapshot) = self { [snapshot.namedFile] } else { [] }
    }

    package var dataNeed: DataNeed {
        switch self {
        case .status, .header, .maxTime, .time, .certificate: .nothing
        case .json, .equals, .snapshot, .schema: .data
        case .body(let check): .condition(check.that)
        }
    }
}

extension ManifestDecoder {
    fileprivate mutating func status(_ node: YAMLNode) -> StatusTemplate? {
        guard let scalar = scalarTemplate(node) else { return nil }
        if scalar.template != nil { return .template(scalar) }
        return scalar.constantText.flatMap { StatusPattern($0) }.map(StatusTemplate.constant)
    }

    /// Reads a condition, alone or with a message. One that is always the same is reported.
    ///
    /// - Parameter help: What the condition can use.
    mutating func check(_ node: YAMLNode, help: String) -> Check? {
        let that = node.mapping == nil ? node : node["that"]
        let message = node.mapping == nil ? nil : node["message"].flatMap { scalarTemplate($0) }
        guard let that = that.flatMap({ condition($0) }) else { return nil }
        if that.expression.isConstant {
            let words = "this is always the same, so nothing is checked"
            diagnostics.report("same-for-all", words, at: that.span, help: [help])
        }
        return Check(that: that, message: message)
    }

    fileprivate mutating func certificate(
        _ key: CertificateExpectation.Key,
        _ node: YAMLNode
    ) -> CertificateExpectation? {
        switch key {
        case .expiresIn: return text(node).flatMap { CertificateExpectation.minimum($0.value).map { .expiresIn($0) } }
        case .subject, .issuer: return scalarTemplate(node).map { .name(key, glob: $0) }
        }
    }

    /// Reads a snapshot: a file alone, or with the paths that are not compared.
    fileprivate mutating func snapshot(_ node: YAMLNode) -> ExpectedSnapshot? {
        var ignored: [JSONPath] = []
        for path in node["ignore"]?.sequence ?? [] {
            guard let scalar = path.scalar else { continue }
            do throws(ExpressionSyntaxError) {
                let path = try JSONPath(parsing: scalar.text)
                if path.isRoot {
                    diagnostics.report(
                        "invalid-value",
                        "'$' is all of the data, so nothing would be compared",
                        at: scalar.span,
                        help: ["Name the members that differ from run to run, such as '$.id'."]
                    )
                }
                ignored.append(path)
            } catch {
                report(syntax: error, in: scalar)
            }
        }
        return (node["file"] ?? node).scalar == nil
            ? nil : text(node["file"] ?? node).map { ExpectedSnapshot(file: $0, ignored: ignored) }
    }
}

extension Settings {
    /// The requirements on the server's certificate.
    package var expectedCertificate: [Setting<CertificateExpectation>] {
        all(ExpectationSetting.self) { if case .certificate(let part) = $0 { part } else { nil } }
    }

    /// The expected statuses.
    package var expectedStatus: Setting<[StatusTemplate]>? {
        last(ExpectationSetting.self) { if case .status(let statuses) = $0 { statuses } else { nil } }
    }

    /// The file that the data must equal.
    package var expectedSnapshot: Setting<ExpectedSnapshot>? {
        last(ExpectationSetting.self) { if case .snapshot(let snapshot) = $0 { snapshot } else { nil } }
    }
}

/// A phase of a transfer, or all of it.
package enum TimePhase: String, Sendable, CaseIterable {
    case dns, connect, tls, firstByte, total
}

/// A requirement on the certificate of a server.
package enum CertificateExpectation: Sendable {
    /// The keys under `certificate`.
    package enum Key: String, CaseIterable, Sendable {
        case expiresIn, subject, issuer
    }

    /// It remains valid for longer than this.
    case expiresIn(Duration)
    /// Its subject or issuer matches a glob.
    case name(Key, glob: ScalarTemplate)

    /// The key of the requirement.
    var key: Key {
        switch self {
        case .expiresIn: .expiresIn
        case .name(let key, _): key
        }
    }

    /// Returns the duration of a minimum such as `>30d`, with the unit d, h, m or s.
    static func minimum(_ text: String) -> Duration? {
        let units: [Character: Int64] = ["d": 86_400, "h": 3_600, "m": 60, "s": 1]
        guard text.hasPrefix(">"), let unit = text.last.flatMap({ units[$0] }),
            let count = Int64(text.dropFirst().dropLast()), (0...1_000_000).contains(count)
        else { return nil }
        return .seconds(count * unit)
    }
}

/// A file with the data of an earlier response, which the data must equal.
package struct ExpectedSnapshot: Sendable {
    /// The path, relative to the folder of the file that names it.
    package let file: Spanned<String>
    /// The paths of the parts that are removed from both before they are compared.
    package let ignored: [JSONPath]

    package init(file: Spanned<String>, ignored: [JSONPath]) {
        self.file = file
        self.ignored = ignored
    }

    /// The file of the snapshot.
    package var namedFile: NamedFile { NamedFile(path: file, kind: .snapshot) }
}

/// A schema that the data must satisfy, and the location of its keywords.
package struct ExpectedSchema: Sendable {
    package let schema: JSONSchema
    /// The schema, or the name of the file that contains it.
    package let node: YAMLNode

    /// Returns the location in the manifest of the keyword that the data violates, or of the reference that led to it.
    /// If the schema has its own file, this is the location of the file's name.
    package func span(of violation: SchemaViolation) -> SourceSpan {
        var location = violation.keywordLocation
        while !location.tokens.isEmpty {
            if let span = node.span(at: location) { return span }
            location.tokens.removeLast()
        }
        return node.span
    }
}

/// A condition with the message for its failure.
package struct Check: Sendable {
    /// The condition.
    package var that: ManifestExpression
    /// The message to report if the condition does not hold.
    package var message: ScalarTemplate?
}

/// An expected status: a pattern, or a template that evaluates to a pattern or a list of patterns.
package enum StatusTemplate: Sendable {
    /// A pattern.
    case constant(StatusPattern)
    case template(ScalarTemplate)

    /// The pattern; `nil` for a template.
    package var constant: StatusPattern? {
        if case .constant(let pattern) = self { pattern } else { nil }
    }

    /// Whether it can match a code of the class 2xx, for which filters and outputs are evaluated.
    package var mayBeSuccess: Bool { constant?.mayBeSuccess ?? true }

    /// Whether it can match a code of another class than 2xx.
    package var mayBeOther: Bool { constant.map { !$0.mayBeSuccess } ?? true }
}

extension [StatusTemplate] {
    /// The patterns; `nil` if one is a template.
    package var constants: [StatusPattern]? {
        let constants = compactMap(\.constant)
        return constants.count == count ? constants : nil
    }
}

/// The settings of this file, looked up.
extension Settings {
    package var expectations: [Setting<ExpectationSetting>] { all(ExpectationSetting.self) }
}
