import WaybillDiagnostics

extension Explanation {
    /// About expressions, wherever they stand.
    static let expressions: [Explanation] = [
        Explanation(
            "expression-syntax",
            "an expression cannot be read",
            """
            Expressions are JSONPath (RFC 9535) with operators and functions: $.items[0].id, length($.items) > 0,
            inputs.name == 'demo'. Equality is written ==, a text in single or double quotes, and a binary operator has a
            space on both sides, since names may have a '-' in them. 'waybill eval --functions' lists the functions, and
            'waybill eval EXPR FILE' tries an expression on a file.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", expect: {body: [$.state = 'open']}}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", expect: {body: [$.state == 'open']}}]}}
                """
        ),
        Explanation(
            "expression-warning",
            "an expression probably means something else",
            """
            Inside [?…] a bare path asks whether something is there, as RFC 9535 has it: [?@.open] also matches elements
            whose 'open' is false. Say which of the two is meant.
            """,
            wrongCommand: "waybill eval '$[?@.open]' doors.json",
            rightCommand: "waybill eval '$[?@.open == true]' doors.json",
            files: [("doors.json", #"[{"name": "front", "open": true}, {"name": "back", "open": false}]"#)]
        ),
        Explanation(
            "not-a-condition",
            "a condition can never be true or false",
            """
            Where a condition stands, its value must be a boolean: a comparison, a function such as exists(…), or a path to
            true or false. Nothing else counts as true, not even a text or a number.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", expect: {body: [length($.items)]}}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", expect: {body: [length($.items) > 0]}}]}}
                """
        ),
        Explanation(
            "literal-path",
            "a text looks like an expression, and is sent as it is",
            """
            In texts that are sent, and in data that a filter makes, only what stands in ${…} is an expression; the rest is
            used as written. A text that is a path or a call of a function, and nothing else, was probably meant to be one.
            """,
            wrong: """
                waybill: 1
                inputs: {name: {type: string, default: demo}}
                graphs: {main: {chain: [{get: "http://127.0.0.1/${inputs.name}", query: {name: inputs.name}}]}}
                """,
            right: """
                waybill: 1
                inputs: {name: {type: string, default: demo}}
                graphs: {main: {chain: [{get: "http://127.0.0.1/${inputs.name}", query: {name: "${inputs.name}"}}]}}
                """
        ),
        Explanation(
            "literal-template",
            "a template is written where none is evaluated",
            """
            Names, the values in a JSON Schema and the content of 'mock' are used as they are written: ${…} in them stays as
            these characters. Where a value has to be computed, compute it where a template is evaluated.
            """,
            wrong: """
                waybill: 1
                inputs: {key: {type: string, default: a}}
                graphs: {main: {chain: [{get: "http://127.0.0.1/${inputs.key}", query: {"${inputs.key}": 1}}]}}
                """,
            right: """
                waybill: 1
                inputs: {key: {type: string, default: a}}
                graphs: {main: {chain: [{get: "http://127.0.0.1/${inputs.key}", query: {key: "${inputs.key}"}}]}}
                """
        ),
        Explanation(
            "no-value",
            "an expression has no value on this data",
            """
            The expression is in order, but the data has nothing where it looks, or an operation cannot be done: a number
            divided by 0, a text that is not a date. A path that may lead nowhere stands in default(PATH, VALUE) or
            exists(PATH).
            """,
            wrongCommand: "waybill eval '$.user.name' users.json",
            rightCommand: "waybill eval 'default($.user.name, null)' users.json",
            files: [("users.json", #"{"users": []}"#)]
        ),
    ]
}
