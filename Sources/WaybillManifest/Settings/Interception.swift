// Actions before and after the success or failure of a request: `intercept`.

package import WaybillDiagnostics

/// The actions before and after success and failure of a request (`intercept`).
package struct Interception: WholeSetting {
    package static let key = "intercept"

    /// The four hooks.
    package enum Moment: String, Sendable, CaseIterable {
        case beforeSuccess, afterSuccess, beforeFailure, afterFailure
    }

    /// One action.
    package struct Action: Sendable {
        /// The kind of action.
        package enum Work: Sendable {
            /// Reports a message.
            case log(ScalarTemplate)
            /// Turns a success into a failure.
            case fail(ScalarTemplate)
            /// Turns a failure into a success with this data.
            case recover(ValueTemplate)
        }

        /// The kind of action.
        package let work: Work
        /// The condition for the action.
        package let when: ManifestExpression?
        package let span: SourceSpan
    }

    /// The actions of each hook, in order.
    package private(set) var actions: [Moment: [Action]] = [:]

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        for (key, value) in node.entries {
            guard let moment: Moment = decoder.word(key) else { continue }
            actions[moment] = (value.sequence ?? []).compactMap { Action($0, at: moment, &decoder) }
        }
    }

    package var merging: SettingMerging { .adds() }

    package func visitUses(_ visitor: UseVisitor) {
        for moment in Moment.allCases {
            for action in actions[moment] ?? [] {
                visitor.expression(action.when, .response, .control)
                switch action.work {
                case .log(let text), .fail(let text): visitor.scalar(text, .response, .message)
                case .recover(let value): visitor.value(value, .response, .data)
                }
            }
        }
    }
}

extension Interception.Action {
    /// The keys of actions.
    enum Key: String, CaseIterable {
        case log, fail, recover

        /// The only hook that can have the action; `nil` if every hook can.
        var moment: Interception.Moment? {
            switch self {
            case .log: nil
            case .fail: .beforeSuccess
            case .recover: .beforeFailure
            }
        }
    }

    fileprivate init?(_ node: YAMLNode, at moment: Interception.Moment, _ decoder: inout ManifestDecoder) {
        let when = node["when"].flatMap { decoder.condition($0) }
        for (name, value) in node.entries {
            guard let key: Key = decoder.word(name) else { continue }
            if let allowed = key.moment, allowed != moment {
                decoder.diagnostics.report(
                    "intercept-action",
                    "'\(moment.rawValue)' cannot have the action '\(key.rawValue)'",
                    at: name.span,
                    help: ["Use '\(key.rawValue)' in '\(allowed.rawValue)'. Every hook can have 'log'."]
                )
            }
            let work: Work? =
                switch key {
                case .log: decoder.scalarTemplate(value).map(Work.log)
                case .fail: decoder.scalarTemplate(value).map(Work.fail)
                case .recover: decoder.valueTemplate(value).map(Work.recover)
                }
            guard let work else { return nil }
            self.init(work: work, when: when, span: node.span)
            return
        }
        return nil
    }
}

/// The settings of this file, looked up.
extension Settings {
    package var intercept: [Setting<Interception>] { all(Interception.self) }
}
