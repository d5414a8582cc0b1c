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
        case .headers(let field):
            value(field.texts, isCredential: Redactor.isCredential(headerNamed: field.name.value))
        case .query(let parameter): value(parameter.texts)
        case .params(let parameter): parameter.value.map(value) ?? .null
        case .baseURL(let setting): .string(text(setting.url))
        case .version(let setting): .string(text(setting.text))
        case .userAgent(let setting): .string(text(setting.text))
        case .body(let body): value(body)
        case .timeout(let limit): .string(text(limit.duration))
        case .connectTimeout(let limit): .string(text(limit.duration))
        case .deadline(let limit): .string(text(limit.duration))
        case .auth(let auth): value(auth)
        case .accept(let accept): accept.ranges.map { .array($0.map { .string(text($0.description)) }) } ?? .null
        case .decoding(let decoding): .string(decoding.rawValue)
        case .compression(let setting): .bool(setting.isOn)
        case .maxBody(let setting): .string(Self.size(setting.bytes))
        case .encoding(let encoding): .string(encoding.rawValue)
        case .arrays(let style): .string(style.rawValue)
        case .filters(let entry): value(entry)
        case .expect(let expectation): value(expectation)
        case .intercept(let interception): value(interception)
        case .messages(let message): message.option.map(value) ?? .null
        case .http(let version): .string(version.rawValue)
        case .tls(let tls): tls.option.map(value) ?? .null
        case .proxy(let proxy): value(proxy)
        case .resolve(let entry): entry.address.map { .string(text($0)) } ?? .null
        case .unixSocket(let socket): .string(text(socket.path))
        case .network(let network): value(network)
        case .reachability(let setting): .bool(setting.isOn)
        case .cookies(let policy): value(policy)
        case .redirects(let setting): .count(setting.count)
        case .traffic(let traffic): .string(traffic.rawValue)
        case .cache(let mode): .string(mode.rawValue)
        case .retry(let policy): value(policy)
        case .duplicates(let policy): value(policy)
        case .concurrency(let setting): .count(setting.count)
        case .maxConnections(let setting): .count(setting.count)
        case .rate(let rate): .string(Self.text(rate))
        case .priority(let priority): .string(priority.rawValue)
        case .debug(let setting): .bool(setting.isOn)
        case .tag(let tag): .string(text(tag.text))
        case .standalone(let setting): .bool(setting.isOn)
        }
    }

    private func value(_ expectation: ExpectationSetting) -> JSON {
        switch expectation {
        case .status(let patterns): value(patterns)
        case .header(_, let glob): glob.map { .string(text($0)) } ?? .null
        case .json(let template): value(template)
        case .body(let check): value(check)
        case .maxTime(let duration): .string(text(duration))
        case .schema(let schema): value(schema.document)
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
