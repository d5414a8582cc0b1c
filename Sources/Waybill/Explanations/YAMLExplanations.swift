import WaybillDiagnostics

extension Explanation {
    /// About the syntax of manifests and data files.
    static let yaml: [Explanation] = [
        Explanation(
            "yaml-syntax",
            "a file is not valid YAML",
            """
            The file cannot be parsed as YAML 1.2. The message names the likely cause: a tab instead of spaces, a
            quote or bracket that is never closed, lines that are not aligned, or a ': ' inside a string that is not
            quoted.

            Parsing stops at the first such location, because what follows could mean anything.
            """,
            wrong: """
                waybill: 1
                name: orders: daily
                """,
            right: """
                waybill: 1
                name: "orders: daily"
                """
        ),
        Explanation(
            "duplicate-key",
            "a key is repeated in a mapping",
            """
            Only one of two entries with the same key could be used, and the last one would silently win. Remove one
            or rename it. In a JSON file this is a warning, because JSON allows it; the last value is used.
            """,
            wrong: """
                waybill: 1
                inputs:
                  size: integer
                  size: string
                """,
            right: """
                waybill: 1
                inputs:
                  size: integer|string
                """
        ),
        Explanation(
            "complex-key",
            "a key is a list or a mapping",
            """
            YAML allows any value as a key, but a manifest, like JSON, has only names. Often a '{' or '[' starts a
            string that should have been quoted.
            """,
            wrong: """
                waybill: 1
                inputs: {[a, b]: string}
                """,
            right: """
                waybill: 1
                inputs: {a: string, b: string}
                """
        ),
        Explanation(
            "invalid-merge",
            "'<<' merges something that is not a mapping",
            """
            The key '<<' adds the entries of another mapping, or of several in a list, to those next to it, which take
            precedence. Nothing else can be merged. If '<<' is meant as a name, quote it.
            """,
            wrong: """
                waybill: 1
                inputs:
                  <<: integer
                  size: integer
                """,
            right: """
                waybill: 1
                inputs:
                  <<: {count: integer}
                  size: integer
                """
        ),
        Explanation(
            "several-documents",
            "a file has more than one YAML document",
            """
            A line '---' starts another document. A manifest is one document; the rest would be ignored, so it is
            rejected. Move it to its own file and include that.
            """,
            wrong: """
                waybill: 1
                ---
                waybill: 1
                """,
            right: """
                ---
                waybill: 1
                """
        ),
        Explanation(
            "unknown-alias",
            "an alias has no anchor",
            """
            A value that starts with '*' is an alias in YAML: it refers to an earlier value that is marked with '&'
            and the same name. There is no such value. Often a string that starts with '*' was meant, which must be
            quoted.
            """,
            wrong: """
                waybill: 1
                name: *orders
                """,
            right: """
                waybill: 1
                name: "*orders"
                """
        ),
        Explanation(
            "recursive-alias",
            "a value contains itself",
            """
            An alias is inside the value that its anchor marks, so the value would never end.
            """,
            wrong: """
                waybill: 1
                inputs: &all {size: {default: *all}}
                """,
            right: """
                waybill: 1
                inputs: {size: {default: &size [1, 2]}, least: {default: *size}}
                """
        ),
        Explanation(
            "alias-growth",
            "aliases make a document too large",
            """
            Aliases of aliases multiply: a few lines can expand to billions of values. A document may have two million
            values, including those of aliases. A file like this is rarely well-intentioned.
            """,
            wrong: """
                waybill: 1
                inputs:
                  a: {default: &a [x, x, x, x, x, x, x, x, x, x]}
                  b: {default: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]}
                  c: {default: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]}
                  d: {default: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]}
                  e: {default: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]}
                  f: {default: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e, *e]}
                  g: {default: [*f, *f, *f, *f, *f, *f, *f, *f, *f, *f]}
                """,
            right: """
                waybill: 1
                inputs:
                  a: {default: &a [x, x, x, x, x, x, x, x, x, x]}
                  b: {default: [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]}
                """
        ),
        Explanation(
            "unknown-tag",
            "a tag is unknown",
            """
            A value that starts with '!' has a tag in YAML. Only the tags of the core schema are known: !!str, !!int,
            !!float, !!bool, !!null, !!seq and !!map. Often a string that starts with '!' was meant, which must be
            quoted; to negate a condition, use not(…).
            """,
            wrong: """
                waybill: 1
                name: !orders daily
                """,
            right: """
                waybill: 1
                name: "!orders daily"
                """
        ),
        Explanation(
            "tag-mismatch",
            "a value does not match its tag",
            """
            A tag such as !!int declares the type of a value, but the value has another type. Remove the tag or change
            the value; few values need a tag at all.
            """,
            wrong: """
                waybill: 1
                name: !!int ten
                """,
            right: """
                waybill: 1
                name: !!str 10
                """
        ),
        Explanation(
            "too-deep",
            "values are nested too deep",
            """
            Lists and mappings may be nested 256 levels deep. A manifest never needs more than that.
            """,
            wrongCommand: "(echo 'waybill: 1'; printf 'name: '; yes '[' | head -300) > manifest.yaml; \(usualCommand)",
            rightCommand: "(echo 'waybill: 1'; printf 'name: flat') > manifest.yaml; \(usualCommand)"
        ),
        Explanation(
            "json-syntax",
            "a file is not valid JSON",
            """
            The file cannot be parsed as JSON (RFC 8259), which is stricter than JavaScript: no comments, no comma
            after the last element, names and strings in double quotes, no number like 01 or .5.

            Files with the extension .json, .ndjson or .jsonl are read as JSON. A file with another extension may also
            be YAML.
            """,
            wrong: """
                {"ids": [1, 2, 3,]}
                """,
            right: """
                {"ids": [1, 2, 3]}
                """,
            in: "data.json",
            command: "waybill eval '$.ids' data.json"
        ),
        Explanation(
            "missing-colon",
            "an entry between braces has no ':'",
            """
            Between braces, each ',' starts another entry, even one that was meant to be part of a string. YAML reads
            an entry without ':' as a name whose value is null. In a manifest it is rejected, because it is nearly
            always a string that should be quoted.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", query: {hourly: rain,wind}}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", query: {hourly: "rain,wind"}}]}}
                """
        ),
        Explanation(
            "anchor-of-nothing",
            "'&' is not followed by a value",
            """
            At the start of a value, '&' and a name define an anchor for aliases, which start with '*'. Here no value
            follows. A string that starts with '&' must be quoted.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", query: {mark: &b}}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", query: {mark: '&b'}}]}}
                """
        ),
        Explanation(
            "cut-by-comment",
            "a comment cuts off a string",
            """
            A '#' after a space starts a comment, unless the string is quoted or in a block. The rest of the string
            has a bracket, a quote or a '${' that is not closed, so the comment was probably meant to be part of it.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - get: http://127.0.0.1/
                        outputs:
                          title: concat('no. #', $.number)
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - get: http://127.0.0.1/
                        outputs:
                          title: "concat('no. #', $.number)"
                """
        ),
    ]
}
