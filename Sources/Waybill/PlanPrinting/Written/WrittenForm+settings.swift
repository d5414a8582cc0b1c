import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillResults
import WaybillSchema

/// Settings, each as the keys of the manifest have it.
extension WrittenForm {
    /// The value of a setting; null where it takes a name away.
    func value(_ setting: SettingValue) -> JSON {
        switch setting {
        case .header(let name, let texts):
            value(texts, isCredential: Redactor.isCredential(headerNamed: name.value))
        case .query(_, let texts): value(texts)
        case .parameter(_, let template): template.map(value) ?? .null
        case .baseURL(let text), .version(let text), .userAgent(let text): .string(self.text(text))
        case .body(let body): value(body)
        case .timeout(let duration), .connectTimeout(let duration), .deadline(let duration), .expectTime(let duration):
            .string(text(duration))
        case .auth(let auth): value(auth)
        case .accept, .decoding, .compression, .maxBody, .encoding, .arrays: answerValue(setting)
        case .filter(let entry): value(entry)
        case .expectStatus(let patterns): value(patterns)
        case .expectHeader(_, let glob): glob.map { .string(text($0)) } ?? .null
        case .expectJSON(let template): value(template)
        case .expectBody(let check): value(check)
        case .expectSchema(let schema): value(schema.document)
        case .intercept(let interception): value(interception)
        case .message, .http, .tls, .proxy, .resolve, .unixSocket, .network, .reachability, .cookies, .redirects,
            .traffic:
            connectionValue(setting)
        case .cache, .retry, .duplicates, .concurrency, .maxConnections, .rate, .priority, .debug, .tag, .standalone:
            schedulingValue(setting)
        }
    }

    /// An expected status: a pattern, or a template as it was written.
    func text(_ status: StatusTemplate) -> String {
        switch status {
        case .constant(let pattern): pattern.description
        case .template(let scalar): text(scalar)
        }
    }

    /// Expected statuses, one alone or a list.
    private func value(_ statuses: [StatusTemplate]) -> JSON {
        let values = statuses.map { status in status.constant.map { value([$0]) } ?? .string(text(status)) }
        return values.count == 1 ? values[0] : .array(values)
    }

    /// Patterns of statuses, one alone or a list.
    func value(_ patterns: [StatusPattern]) -> JSON {
        let values = patterns.map { pattern -> JSON in
            if case .code(let code) = pattern { .count(code) } else { .string(pattern.description) }
        }
        return values.count == 1 ? values[0] : .array(values)
    }

    private func value(_ texts: [ScalarTemplate]?, isCredential: Bool = false) -> JSON {
        texts.map { value($0 as [ScalarTemplate], isCredential: isCredential) } ?? .null
    }

    private func answerValue(_ setting: SettingValue) -> JSON {
        switch setting {
        case .accept(let ranges): ranges.map { .array($0.map { .string(text($0.description)) }) } ?? .null
        case .decoding(let decoding): .string(decoding.rawValue)
        case .compression(let isOn): .bool(isOn)
        case .maxBody(let bytes): .string(Self.size(bytes))
        case .encoding(let encoding): .string(encoding.rawValue)
        case .arrays(let style): .string(style.rawValue)
        default: .null
        }
    }

    private func schedulingValue(_ setting: SettingValue) -> JSON {
        switch setting {
        case .cache(let mode): .string(mode.rawValue)
        case .retry(let policy): value(policy)
        case .duplicates(let policy): value(policy)
        case .concurrency(let number), .maxConnections(let number): .count(number)
        case .rate(let rate): .string(Self.text(rate))
        case .priority(let priority): .string(priority.rawValue)
        case .debug(let isOn), .standalone(let isOn): .bool(isOn)
        case .tag(let tag): .string(text(tag))
        default: .null
        }
    }

    /// A size in the largest unit that it is a whole number of.
    private static func size(_ bytes: Int) -> String {
        for (unit, size) in [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
        where bytes != 0 && bytes.isMultiple(of: size) {
            return "\(bytes / size)\(unit)"
        }
        return "\(bytes)B"
    }

    private static func text(_ rate: RequestRate) -> String {
        let unit = rate.interval == .seconds(1) ? "s" : rate.interval == .seconds(60) ? "m" : "h"
        return "\(rate.count)/\(unit)"
    }
}
