import WaybillDiagnostics

extension Explanation {
    /// About the shape of manifests and of data checked by a JSON Schema: which keys there are, and of what kind values are.
    static let shape: [Explanation] = [
        Explanation(
            "manifest-version",
            "a manifest is written for another version of the language",
            """
            The key 'waybill' says which version of the manifest language a file is written in, so that a later version
            can change what a key means without changing what old files mean. This program reads version 1.
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
            "a key may not stand where it does",
            """
            There is no such key at this place. It is misspelled, indented too far or not far enough, or belongs to
            another construct. Unknown keys are refused rather than ignored: a 'timout' that does nothing would be found
            only on the day that it is needed.

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
            A construct lacks a key that it cannot do without, or one of several of which it needs one: a step says what
            it does with 'call', 'get', 'chain' and the like.
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
            "keys exclude each other",
            """
            Two keys stand side by side of which each says the whole thing, such as two methods of one request. Keep one;
            two requests are two steps.
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
            The key is known, but what the step does has no use for it: only a call takes 'with', and the path of a called
            endpoint stands at the endpoint. It would be ignored, so it is refused.
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
            "a value is of another kind than it must be",
            """
            A text stands where a number, list or mapping must be, or the other way round. In YAML, 10 is a number and
            "10" a text; yes, no, on and off are texts, and only true and false are booleans; [a] is a list and a is not.
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
            "a value is not one of those that are allowed",
            """
            The value is of the right kind, but too small, too long, not in a list of words, or not of the form that the
            schema asks for. The message says which.
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
            "invalid-schema",
            "a JSON Schema is not valid",
            """
            What stands where a JSON Schema (draft 2020-12) must be is none: a keyword has a value that it cannot have, a
            pattern is not a regular expression, or '$ref' leads nowhere. Other schemas are looked for in the folder of
            the schema; nothing is fetched from the network.
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
