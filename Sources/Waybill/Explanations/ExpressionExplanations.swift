import WaybillDiagnostics

extension Explanation {
    /// About expressions, wherever they appear.
    static let expressions: [Explanation] = [
        Explanation(
            "expression-syntax",
            "an expression cannot be parsed",
            """
            Expressions are JSONPath (RFC 9535) with operators and functions: $.items[0].id, length($.items) > 0,
            inputs.name == 'demo'. Equality is written ==, a string in single or double quotes, and a binary operator
            needs a space on both sides, because names may contain '-'. 'waybill eval --functions' lists the
            functions, and 'waybill eval EXPR FILE' evaluates an expression on a file.
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
            Inside [?…], a bare path tests whether something exists, as in RFC 9535: [?@.open] also matches elements
            whose 'open' is false. Write explicitly which of the two is meant.
            """,
            wrongCommand: "waybill eval '$[?@.open]' doors.json",
            rightCommand: "waybill eval '$[?@.open == true]' doors.json",
            files: [("doors.json", #"[{"name": "front", "open": true}, {"name": "back", "open": false}]"#)]
        ),
        Explanation(
            "not-a-condition",
            "a condition can never be true or false",
            """
            The value of a condition must be a boolean: a comparison, a function such as exists(…), or a path to true
            or false. Nothing else counts as true, not even a string or a number.
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
            "a string looks like an expression, but is sent as is",
            """
            In strings that are sent, and in data that a filter creates, only ${…} is an expression; the rest is used
            as written. A string that consists only of a path or a function call was probably meant to be an
            expression.
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
            "a template is written where templates are not evaluated",
            """
            Names, the values in a JSON Schema and the content of 'mock' are used as written: ${…} in them is not
            replaced. If a value must be computed, compute it where templates are evaluated.
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
            The expression is valid, but the data has nothing at its path, or an operation is impossible: a number is
            divided by 0, or a string is not a date. If a path may have no value, use default(PATH, VALUE) or
            exists(PATH).
            """,
            wrongCommand: "waybill eval '$.user.name' users.json",
            rightCommand: "waybill eval 'default($.user.name, null)' users.json",
            files: [("users.json", #"{"users": []}"#)]
        ),
    ]
}
