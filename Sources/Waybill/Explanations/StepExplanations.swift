import WaybillDiagnostics

extension Explanation {
    /// About the results that steps use from each other.
    static let steps: [Explanation] = [
        Explanation(
            "step-not-run",
            "a step is used that may not have run before",
            """
            steps.ID can be used by what runs after that step: by later steps of its chain, and by what follows a
            batch that contains it. The steps of a batch run in parallel, so they cannot use each other.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    batch:
                      - {id: user, get: "http://127.0.0.1/user"}
                      - {get: "http://127.0.0.1/users/${steps.user.data.id}"}
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {id: user, get: "http://127.0.0.1/user"}
                      - {get: "http://127.0.0.1/users/${steps.user.data.id}"}
                """
        ),
        Explanation(
            "uncertain-step",
            "a step is used that may have failed",
            """
            The run continues when that step fails, and then it may have no data. Give another value with
            default(steps.ID.data, VALUE), or use the data only inside a step whose 'when' requires steps.ID.ok or
            exists(steps.ID.data).
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {id: user, get: "http://127.0.0.1/user", onFailure: continue}
                      - {get: "http://127.0.0.1/users/${steps.user.data.id}"}
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {id: user, get: "http://127.0.0.1/user", onFailure: continue}
                      - {get: "http://127.0.0.1/users/${default(steps.user.data.id, 0)}"}
                """
        ),
        Explanation(
            "data-not-kept",
            "an expression uses data that a step wrote to a file",
            """
            A step with 'write' and 'paginate' or 'forEach' may have any number of records, so it writes them to the
            file as they arrive and does not keep them. steps.ID.written has the path of the file and the numbers of
            its records and bytes.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {id: orders, get: "http://127.0.0.1/orders", paginate: {link: true}, write: {to: orders.csv}}
                    outputs: {count: length(steps.orders.data)}
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {id: orders, get: "http://127.0.0.1/orders", paginate: {link: true}, write: {to: orders.csv}}
                    outputs: {count: steps.orders.written.records}
                """
        ),
        Explanation(
            "unknown-format",
            "the format of a file cannot be determined from its name",
            """
            The extension of the path in 'write' determines the format: .ndjson or .jsonl is one JSON value per line,
            .json an array, .csv rows with a header; each of these is compressed if .gz follows. .sqlite, .sqlite3 and
            .db are databases. .txt, .bin and no extension are strings and bytes as they are. Any other extension
            requires 'format'. Waybill does not write other formats, such as those of spreadsheets.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {id: orders, get: "http://127.0.0.1/orders", write: {to: orders.xlsx}}
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {id: orders, get: "http://127.0.0.1/orders", write: {to: orders.csv}}
                      - {id: photo, get: "http://127.0.0.1/photo", decoding: bytes, write: {to: photo.png, format: raw}}
                """
        ),
        Explanation(
            "nothing-selected",
            "no step has the tags or the name that a run is limited to",
            """
            'waybill run --tag', '--not-tag' and '--only' limit a run to some steps and the steps that they need. Tags
            are written as 'tags' of a graph, and as 'tag' of a step, an endpoint or a service. If there are several
            manifests, those without a selected step are skipped.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/health", mock: {}}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/health", mock: {}, tag: smoke}]}}
                """,
            command: "waybill run manifest.yaml --mock --tag smoke"
        ),
        Explanation(
            "excluded-step",
            "a step with an excluded tag runs, because another step needs it",
            """
            'waybill run --not-tag' leaves out the steps with a tag, but not those whose results a selected step uses,
            or that its 'needs' names. Exclude the steps that need it, too, or let them do without it.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    batch:
                      - {id: wipe, tag: slow, delete: "http://127.0.0.1/cache", mock: {}}
                      - {id: check, needs: [wipe], get: "http://127.0.0.1/health", mock: {}}
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    batch:
                      - {id: wipe, tag: slow, delete: "http://127.0.0.1/cache", mock: {}}
                      - {id: check, tag: slow, needs: [wipe], get: "http://127.0.0.1/health", mock: {}}
                      - {id: ping, get: "http://127.0.0.1/ping", mock: {}}
                """,
            command: "waybill run manifest.yaml --mock --not-tag slow"
        ),
        Explanation(
            "same-for-all",
            "elements are compared by something that is the same for all of them",
            """
            The filter stages 'sort', 'group' and 'unique' evaluate 'by' for each element of the list, which is
            'item'. An expression without 'item' has the same value for all elements, so nothing is sorted, and all
            elements are one group.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/a", filters: [{sort: {by: "'name'"}}]}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/a", filters: [{sort: {by: item.name}}]}]}}
                """
        ),
        Explanation(
            "invalid-checksum",
            "the checksum of a download is not a valid digest of its kind",
            """
            'checksum' is the digest of the file: its hexadecimal digits (32 for md5, 40 for sha1, 64 for sha256, 128
            for sha512), or Base64, or an expression that reads it from an earlier response or a header field.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    chain: [{get: "http://127.0.0.1/a.zip", download: {to: a.zip, checksum: {md5: "'d41d8cd9'"}}}]
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - get: "http://127.0.0.1/a.zip"
                        download: {to: a.zip, checksum: {md5: d41d8cd98f00b204e9800998ecf8427e}}
                """
        ),
        Explanation(
            "write-table",
            "'table', 'key' and the file of 'write' do not fit together",
            """
            Records that are written to an SQLite database (.sqlite, .sqlite3, .db) go to a 'table', and 'key' lists
            the columns that identify a record: a record replaces an earlier one with the same key, so that the table
            has each record once, however often it is pulled. The 'columns', if there are any, must include those of
            the key. Other files have no tables.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {id: orders, get: "http://127.0.0.1/orders", write: {to: shop.sqlite, table: orders}}
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {id: orders, get: "http://127.0.0.1/orders", write: {to: shop.sqlite, table: orders, key: [id]}}
                """
        ),
        Explanation(
            "needs-cycle",
            "steps of a batch wait for each other",
            """
            Each of the steps 'needs' another of them before it can start, so none ever would.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    batch:
                      - {id: a, get: "http://127.0.0.1/a", needs: [b]}
                      - {id: b, get: "http://127.0.0.1/b", needs: [a]}
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    batch:
                      - {id: a, get: "http://127.0.0.1/a"}
                      - {id: b, get: "http://127.0.0.1/b", needs: [a]}
                """
        ),
        Explanation(
            "outputs-never",
            "outputs are used that a step can never have",
            """
            Filters and outputs run only on responses with a status 2xx, but the step expects another status. The data
            of such a response is steps.ID.data.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {id: gone, get: "http://127.0.0.1/a", expect: {status: 404}, outputs: {code: $.code}}
                      - {get: "http://127.0.0.1/reasons/${steps.gone.outputs.code}"}
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {id: gone, get: "http://127.0.0.1/a", expect: {status: 404}}
                      - {get: "http://127.0.0.1/reasons/${steps.gone.data.code}"}
                """
        ),
        Explanation(
            "misplaced-end",
            "'end' is not a step of a chain",
            """
            'end' ends the chain that contains it, with success. In a batch all steps run in parallel, and the steps
            of 'finally' run in any case, so there is nothing to end.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    batch:
                      - {id: user, get: "http://127.0.0.1/user"}
                      - {end: run.environment == 'test'}
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {id: user, get: "http://127.0.0.1/user"}
                      - {end: steps.user.status == 204}
                      - {get: "http://127.0.0.1/users"}
                """
        ),
    ]
}
