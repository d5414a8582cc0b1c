import WaybillDiagnostics

extension Explanation {
    /// About the texts of manifests and data files, before it matters what they say.
    static let yaml: [Explanation] = [
        Explanation(
            "yaml-syntax",
            "a text is not YAML",
            """
            The text cannot be read as YAML 1.2. The message names the likely slip: a tab where spaces must be, a quote or
            bracket that is never closed, lines that do not line up, a ': ' inside a text that is not quoted.

            Reading ends at the first such place, since what follows could mean anything.
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
            "a key stands twice in one mapping",
            """
            Of two entries with one key only one could count, and it would be silently the last. Take one away or rename
            it. In a JSON file this is a warning, since JSON allows it; the last value counts.
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
            YAML allows any value as a key, but a manifest, like JSON, has only names. Often a '{' or '[' begins a text
            that should have been quoted.
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
            "'<<' takes in something that is not a mapping",
            """
            The key '<<' lays the entries of another mapping, or of several in a list, under those beside it. It can take
            in nothing else. Where '<<' is meant as a name, quote it.
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
            A line '---' begins another document. A manifest is one document; the rest would be ignored, so it is refused.
            Put it into a file of its own and include that.
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
            A value that begins with '*' is an alias in YAML: it stands for the value marked with '&' and the same name
            somewhere before it. There is none. Often a text that begins with '*' was meant, which must be
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
            An alias stands inside the value that its anchor marks, so that the value would have no end.
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
            "aliases make a document grow beyond all bounds",
            """
            Aliases of aliases multiply: a few lines can stand for billions of values. There may be two million in a
            document, aliases followed. A text like this is hardly ever meant well.
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
            "a tag is not known",
            """
            A value that begins with '!' has a tag in YAML. Of tags only those of the core schema are known: !!str, !!int,
            !!float, !!bool, !!null, !!seq and !!map. Often a text that begins with '!' was meant, which must be quoted; a
            condition is turned round with not(…).
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
            "a value is not what its tag says",
            """
            A tag such as !!int says what a value is, and the value is something else. Take the tag away or change the
            value; few values need a tag at all.
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
            Lists and mappings may stand in one another 256 levels deep. More than that is not
            written by people.
            """,
            wrongCommand: "(echo 'waybill: 1'; printf 'name: '; yes '[' | head -300) > manifest.yaml; \(usualCommand)",
            rightCommand: "(echo 'waybill: 1'; printf 'name: flat') > manifest.yaml; \(usualCommand)"
        ),
        Explanation(
            "json-syntax",
            "a text is not JSON",
            """
            The text cannot be read as JSON (RFC 8259), which is stricter than what JavaScript takes: no comments, no
            comma behind the last element, names and texts in double quotes, no number like 01 or .5.

            Files whose names end in .json, .ndjson or .jsonl are read so. A file with another ending may be YAML too.
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
            Between braces each ',' begins another entry, also one that was meant to be part of a text. YAML takes an entry
            without ':' as a name whose value is null; in a manifest it is refused, since it is nearly always a text that
            should have quotes.
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
            "'&' stands before nothing",
            """
            At the beginning of a value '&' and a name make the value known to aliases, which begin with '*'. Here no value
            follows. A text that begins with '&' must be quoted.
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
            "a comment cuts a text off",
            """
            A '#' behind a space begins a comment, unless the text is quoted or stands in a block. What is left of the text
            has a bracket, a quote or a '${' that is not closed, so the rest was probably meant to belong to it.
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
