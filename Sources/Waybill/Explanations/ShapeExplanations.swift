import WaybillDiagnostics

extension Explanation {
    /// About the shape of manifests and of data checked by a JSON Schema: the keys, and the types of values.
    static let shape: [Explanation] = [
        Explanation(
            "manifest-version",
            "a manifest is written for another version of the language",
            """
            The key 'waybill' is the version of the manifest language that a file is written in, so that a later
            version can change what a key means without changing what old files mean. This program reads version 1.
            """,
            wrong: """
                waybill: 2
                """,
            right: """
                waybill: 1
                """
        ),
        Explanation(
            "unknown-key",
            "a key is not allowed here",
            """
            This key does not exist here. It is misspelled, indented too far or not far enough, or belongs to another
            construct. Unknown keys are rejected rather than ignored: a 'timout' without effect would be noticed only
            on the day that it is needed.

            Every key is described in the schema that 'waybill schema print' prints; editors complete keys from it.
            """,
            wrong: """
                waybill: 1
                defaults: {timout: 5s}
                """,
            right: """
                waybill: 1
                defaults: {timeout: 5s}
                """
        ),
        Explanation(
            "missing-key",
            "a key is missing",
            """
            A required key is missing, or one of several keys of which one is required: a step declares what it does
            with 'call', 'get', 'chain' and the like.
            """,
            wrong: """
                name: orders
                """,
            right: """
                waybill: 1
                name: orders
                """
        ),
        Explanation(
            "conflicting-keys",
            "keys cannot be used together",
            """
            Two keys specify the same thing, such as two methods of one request. Keep one; two requests are two steps.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/a", post: "http://127.0.0.1/b"}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/a"}, {post: "http://127.0.0.1/b"}]}}
                """
        ),
        Explanation(
            "misplaced-key",
            "a key has no meaning in a step of this form",
            """
            The key is known, but has no effect here: only a call takes 'with', the path of a called endpoint is
            written at the endpoint, and a timeout has no effect on steps that send no request. It would be ignored,
            so it is rejected.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", with: {id: 1}}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", query: {id: 1}}]}}
                """
        ),
        Explanation(
            "wrong-type",
            "a value has the wrong type",
            """
            A string is written where a number, list or mapping is required, or the other way round. In YAML, 10 is a
            number and "10" a string; yes, no, on and off are strings, and only true and false are booleans; [a] is a
            list and a is not.
            """,
            wrong: """
                waybill: 1
                defaults: {concurrency: many}
                """,
            right: """
                waybill: 1
                defaults: {concurrency: 8}
                """
        ),
        Explanation(
            "invalid-value",
            "a value is not allowed",
            """
            The value has the right type, but is too small, too long, not one of the allowed words, or does not have
            the form that the schema requires. The message says which.
            """,
            wrong: """
                waybill: 1
                defaults: {concurrency: 0}
                """,
            right: """
                waybill: 1
                defaults: {concurrency: 1}
                """
        ),
        Explanation(
            "openapi-schemas",
            "schemas of OpenAPI 3.0 are read as JSON Schemas",
            """
            The schemas of OpenAPI 3.0 are in a dialect of their own: 'nullable: true' allows null, and
            'exclusiveMinimum: true' changes the meaning of 'minimum'. Waybill does not support that dialect yet. In
            documents of OpenAPI 3.1, schemas are JSON Schemas.
            """
        ),
        Explanation(
            "invalid-schema",
            "a JSON Schema is not valid",
            """
            A JSON Schema (draft 2020-12) is invalid: a keyword has a value that is not allowed, a pattern is not a
            regular expression, or a '$ref' cannot be resolved. Other schemas are resolved in the folder of the
            schema; nothing is fetched from the network.
            """,
            wrong: """
                waybill: 1
                inputs: {size: {$ref: "#/$defs/size"}}
                """,
            right: """
                waybill: 1
                inputs: {size: {$ref: "#/$defs/size", $defs: {size: {type: integer}}}}
                """
        ),
    ]
}
