import WaybillExpressions
import WaybillFormats
import WaybillJSON

/// What expressions see while they are fuzzed: every kind of value and of name, and a world that never changes.
enum FuzzScope {
    static let scope = EvaluationScope(
        root: DictionaryNamespace([
            "inputs": .namespace(
                DictionaryNamespace([
                    "name": .value(ScopeValue("ann")), "count": .value(ScopeValue(3)), "flag": .value(ScopeValue(true)),
                    "nothing": .value(ScopeValue(.null)), "pattern": .value(ScopeValue("(a|b)*[^c]{2,3}.")),
                ])
            ),
            "secrets": .namespace(DictionaryNamespace(["key": .value(ScopeValue("hunter2", isSecret: true))])),
            "vars": .value(ScopeValue(["list": [3, 1, 2], "when": "2024-02-29T12:00:00Z", "big": 1e300])),
            "steps": .namespace(
                DictionaryNamespace([
                    "a": .value(ScopeValue(["data": [["id": 1], ["id": 2]]])),
                    "b": .unavailable(reason: "the step was skipped"),
                ])
            ),
        ]),
        current: ScopeValue(["a": [1, 2.5, ["b": "x", "c": .null], []], "b": ["a": "text", "é": "ü"], "c": "1.10"]),
        item: ScopeValue(["id": 7, "tags": ["x", "y"]]),
        environment: FixedEnvironment()
    )
}

private struct FixedEnvironment: EvaluationEnvironment {
    func now() -> Timestamp { Timestamp(nanoseconds: 1_700_000_000_000_000_000) }
    func uuid() -> String { "0188f1d2-0000-7000-8000-000000000001" }
    func contents(ofFile path: String) throws(EvaluationError) -> [UInt8] {
        if path == "a" { return Array("héllo".utf8) }
        throw EvaluationError(.value, "does not exist")
    }
}
