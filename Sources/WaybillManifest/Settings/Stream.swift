// Responses whose events are used as they arrive: `stream`.

import WaybillDiagnostics

/// When a stream of events has ended (`stream`); without a condition, when the server ends it.
package struct StreamSetting: WholeSetting {
    package static let key = "stream"

    /// The condition on an event, which is `item` and `$`, that ends the stream.
    package let until: ManifestExpression?
    /// The number of events that ends the stream.
    package let max: Int?
    /// The time that ends the stream, from the first attempt.
    package let time: DurationTemplate?

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        until = node["until"].flatMap {
            decoder.check($0, help: "Use the event, which is 'item', as in 'item.event == \"done\"'.")?.that
        }
        max = node["max"].flatMap { decoder.integer($0) }
        time = node["for"].flatMap { decoder.timeLimit($0) }
    }

    package func visitUses(_ visitor: UseVisitor) {
        visitor.expression(until, .response, .control, item: true)
        visitor.duration(time)
    }

    /// The keys that the server must not end the stream before.
    package var goals: [String] { [until.map { _ in "until" }, max.map { _ in "max" }].compactMap { $0 } }
}

extension Settings {
    package var stream: Setting<StreamSetting>? { self[StreamSetting.self] }
}
