import WaybillExpressions
import WaybillFormats
import WaybillJSON

/// The environment in which the tests evaluate expressions.
struct FixedEnvironment: EvaluationEnvironment {
    func now() -> Timestamp { Timestamp(nanoseconds: 1_795_238_823_041_000_000) }
    func uuid() -> String { "0188f1d2-0000-7000-8000-000000000001" }
    func contents(ofFile path: String) throws(EvaluationError) -> [UInt8] {
        switch path {
        case "greeting.txt": Array("héllo".utf8)
        case "broken.bin": [0xFF]
        default: throw EvaluationError(.value, "does not exist")
        }
    }
    func result(ofFilter name: String, on value: JSON) throws(EvaluationError) -> JSON {
        guard name == "skus" else { throw EvaluationError(.value, "filter '\(name)' refuses \(value)") }
        return .array((value.array ?? []).compactMap { $0.object?["sku"] })
    }
}

/// Headers, whose names ignore case.
struct HeaderNames: ScopeNamespace {
    let memberNames = ["Content-Type", "ETag"]
    func member(_ name: String) -> ScopeNode? {
        memberNames.contains { $0.lowercased() == name.lowercased() } ? .value(ScopeValue("a value")) : nil
    }
}

extension EvaluationScope {
    /// A scope with `inputs`, `secrets`, `steps`, `response` and others, and the given `$`.
    static func sample(_ current: JSON? = nil, item: JSON? = nil, secretCurrent: Bool = false) -> EvaluationScope {
        let login = DictionaryNamespace([
            "outputs": .namespace(
                DictionaryNamespace([
                    "token": .value(ScopeValue("t-1", isSecret: true)), "userId": .value(ScopeValue(7)),
                ])
            ),
            "data": .value(ScopeValue(["users": [["id": 1, "name": "ann"], ["id": 2, "name": "bob"]]])),
        ])
        let root = DictionaryNamespace([
            "inputs": .namespace(
                DictionaryNamespace([
                    "name": .value(ScopeValue("ann")), "count": .value(ScopeValue(3)),
                    "user-id": .value(ScopeValue("u-1")), "flag": .value(ScopeValue(true)),
                    "nothing": .value(ScopeValue(.null)),
                ])
            ),
            "secrets": .namespace(DictionaryNamespace(["password": .value(ScopeValue("hunter2", isSecret: true))])),
            "vars": .value(ScopeValue(["list": [3, 1, 2], "pattern": "a.*", "bad": "("])),
            "steps": .namespace(
                DictionaryNamespace([
                    "login": .namespace(login),
                    "skipped": .unavailable(reason: "the step was skipped"),
                ])
            ),
            "response": .namespace(DictionaryNamespace(["headers": .namespace(HeaderNames())])),
        ])
        return EvaluationScope(
            root: root,
            current: current.map { ScopeValue($0, isSecret: secretCurrent) },
            item: item.map { ScopeValue($0) },
            environment: FixedEnvironment()
        )
    }
}

/// The value of an expression in the sample scope.
func evaluate(_ text: String, _ current: JSON? = nil, item: JSON? = nil) throws -> JSON {
    try Expression(parsing: text).evaluate(in: .sample(current, item: item)).json
}

/// The error when an expression is evaluated in the sample scope.
func evaluationError(_ text: String, _ current: JSON? = nil, item: JSON? = nil) throws -> EvaluationError? {
    do {
        _ = try Expression(parsing: text).evaluate(in: .sample(current, item: item))
        return nil
    } catch let error as EvaluationError {
        return error
    }
}

/// The part of a string in a range of UTF-8 bytes.
func part(_ text: String, _ range: Range<Int>) -> String {
    String(decoding: Array(text.utf8)[range], as: UTF8.self)
}
