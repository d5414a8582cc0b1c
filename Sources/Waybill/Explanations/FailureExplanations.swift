import WaybillDiagnostics

extension Explanation {
    /// About runs: each kind of failure of a step, and the errors that prevent a run from being executed.
    static let failures: [Explanation] = [
        Explanation(
            "input",
            "a request could not be built from its inputs",
            """
            A value that the request needs is missing or has the wrong type when the step starts: an input does not
            match its schema, an expression has no value, or a header would contain a line break. Nothing was sent.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {id: user, get: "http://127.0.0.1/user", mock: {body: {id: 7}}}
                      - {get: "http://127.0.0.1/users/${steps.user.data.ID}", mock: {}}
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {id: user, get: "http://127.0.0.1/user", mock: {body: {id: 7}}}
                      - {get: "http://127.0.0.1/users/${steps.user.data.id}", mock: {}}
                """,
            command: mockRun
        ),
        Explanation(
            "changed-manifest",
            "parts of the manifest that have already run were changed",
            """
            'waybill resume' keeps the results of the steps that passed. If such a step was changed in the manifest,
            its result no longer belongs to it, so the run is not resumed. The message names the changed part.
            Comments, white space, quotes and the order of keys are not compared, and steps that have not run yet may
            be changed. The data of files that a step uses ('data') is compared too, except that the list of a
            'forEach' that has not finished may be longer. Undo the change, or start a new run.

            The file sources.json in the run folder has a digest of each part of each step. A run that was recorded by
            a version of Waybill with other digests is resumed only if no file of the manifest was changed.
            """
        ),
        Explanation(
            "kept-before-finally",
            "a run is resumed after its 'finally' has run",
            """
            'waybill resume' keeps the results of the steps that passed, even if the steps of 'finally' have run after
            them. These often delete what the earlier steps created, so that the remaining steps would not find it. In
            that case, start a new run.
            """
        ),
        Explanation(
            "long-secret",
            "a secret is too long",
            """
            Everything that is written is searched for the values of secrets, in all the forms that encodings give
            them. This is possible only for values of up to 64 KiB. Send something longer, such as a file, with 'body:
            {file: …}'.
            """
        ),
        Explanation(
            "unsafe-repeat",
            "a request would have to be sent again",
            """
            'waybill resume' never sends a step again that passed, unless its method is safe (GET, HEAD) or
            --repeat-unsure is given. Here a remaining step needs something from such a step that no file contains: an
            output that includes a secret, or cookies of the run. So nothing is sent. With --repeat-unsure the request
            is sent again, which may perform its effect twice, such as placing an order. Cookies that are kept in a
            file ('cookies: {jar: FILE}') are not lost, and the outputs of a service's 'session' are fetched again, so
            write a login there.

            The same applies to a request that was in flight when the run ended: the server may have received it. The
            run stops before anything is sent, even the steps of 'finally', unless the step tolerates its failure
            ('onFailure: continue').
            """
        ),
        Explanation(
            "dns",
            "the host's name could not be resolved",
            """
            The host of the URL has no known address: its name is misspelled, or the name server cannot be reached.
            Nothing was sent, so a retry is safe for any method.
            """
        ),
        Explanation(
            "connect",
            "no connection could be established",
            """
            Nothing listens at the address, a firewall rejects the connection, or the server did not accept it within
            'connectTimeout'. Nothing was sent, so a retry is safe for any method.
            """,
            wrongCommand: "waybill run manifest.yaml",
            rightCommand: mockRun,
            files: [
                ("manifest.yaml", "waybill: 1\ngraphs: {main: {chain: [{get: \"http://127.0.0.1:1/\", mock: {}}]}}")
            ]
        ),
        Explanation(
            "tls",
            "no secure connection could be established",
            """
            The server's certificate has expired, is for another host, or is signed by an authority that is not trusted,
            or the two sides have no version of TLS in common. The request itself was not sent.
            """
        ),
        Explanation(
            "timeout",
            "a response took longer than allowed",
            """
            The response was not complete within 'timeout', which applies to each attempt. The server may have
            processed the request nevertheless, so only methods that may be repeated are retried.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", timeout: 100ms, mock: {delay: 10s}}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", timeout: 60s, mock: {delay: 1ms}}]}}
                """,
            command: mockRun
        ),
        Explanation(
            "transfer",
            "the connection broke, or the response is malformed",
            """
            The server closed the connection before the response was complete, sent something other than HTTP, or sent
            more than 'maxBody' allows.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", maxBody: 4B, mock: {body: too long}}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", maxBody: 64KiB, mock: {body: not too long}}]}}
                """,
            command: mockRun
        ),
        Explanation(
            "unreachable",
            "the service is known to be unreachable",
            """
            A recent check could not reach the service, so nothing was sent to it.
            """
        ),
        Explanation(
            "duplicate",
            "the same request was already in flight",
            """
            The same request was already in flight, and 'duplicates' discards or cancels one of the two.
            """
        ),
        Explanation(
            "status",
            "the status of a response is not an expected one",
            """
            Without 'expect', any status from 200 to 299 is accepted. If another one is right, such as 404 for
            something that was deleted, set 'expect: {status: …}'. The message contains the server's own message if
            the response has one.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", mock: {status: 404}}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", expect: {status: 404}, mock: {status: 404}}]}}
                """,
            command: mockRun
        ),
        Explanation(
            "content-type",
            "the media type of a response is not accepted",
            """
            'accept' lists the media types that a response may have, but this one has another or none. Often an error
            page or a login page was received instead of data.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", accept: [application/json], mock: {body: hello}}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", accept: [text/*], mock: {body: hello}}]}}
                """,
            command: mockRun
        ),
        Explanation(
            "decode",
            "a body does not match its media type",
            """
            The Content-Type of the response, or 'decoding', determines how the body is decoded, and that failed. The
            body is kept in the results folder.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", decoding: json, mock: {body: hello}}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", decoding: text, mock: {body: hello}}]}}
                """,
            command: mockRun
        ),
        Explanation(
            "filter",
            "a filter stage rejected the data",
            """
            A 'require' was not met, an 'envelope' has a code that does not mean success, or a 'select' found nothing.
            The message is the server's, if the stage defines where that is.
            """,
            wrong: """
                waybill: 1
                filters: {unwrap: [{envelope: {code: $.code, ok: 200, data: $.data}}]}
                graphs: {main: {chain: [{get: "http://127.0.0.1/", filters: [unwrap], mock: {body: {code: 500}}}]}}
                """,
            right: """
                waybill: 1
                filters: {unwrap: [{envelope: {code: $.code, ok: 200, data: $.data}}]}
                graphs: {main: {chain: [{get: "http://127.0.0.1/", filters: [unwrap], mock: {body: {code: 200}}}]}}
                """,
            command: mockRun
        ),
        Explanation(
            "output",
            "an output could not be read from the data",
            """
            The expression of an output has no value on this response. If that is acceptable, provide a value with
            default(PATH, VALUE).
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", outputs: {id: $.id}, mock: {body: {}}}]}}
                """,
            right: """
                waybill: 1
                graphs:
                  main: {chain: [{get: "http://127.0.0.1/", outputs: {id: "default($.id, 0)"}, mock: {body: {}}}]}
                """,
            command: mockRun
        ),
        Explanation(
            "expect",
            "a response does not meet an expectation",
            """
            The response does not meet a condition of 'expect'. All conditions are checked, and all that are not met
            are shown together, each at its location in the manifest.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main: {chain: [{get: "http://127.0.0.1/", expect: {body: [$.n > 1]}, mock: {body: {n: 1}}}]}
                """,
            right: """
                waybill: 1
                graphs:
                  main: {chain: [{get: "http://127.0.0.1/", expect: {body: [$.n > 0]}, mock: {body: {n: 1}}}]}
                """,
            command: mockRun
        ),
        Explanation(
            "download",
            "a file could not be downloaded or stored completely",
            """
            Its checksum or size is not the expected one, the file cannot be written (the disk is full, or the folder
            is not writable), or another process is downloading it. No file appears under its name.

            An interrupted transfer has the kind 'transfer' or 'timeout'. The received bytes stay in FILE.part, and
            'retry', 'waybill resume' or a later run with the same folder requests only the rest, if the server has a
            strong ETag or Last-Modified for the file. Bytes with a wrong checksum are deleted.
            """
        ),
        Explanation(
            "cancelled",
            "a step was stopped from outside",
            """
            The run was interrupted, or another step failed and this step was stopped with it. The step itself did
            nothing wrong.
            """
        ),
        Explanation(
            "run-error",
            "a run could not be executed or recorded",
            """
            The results folder cannot be created or written to, or the program cannot set up what it needs. If the
            journal cannot be written, the run stops rather than continuing without one. The exit status is 3.
            """,
            Example(
                wrong: Sample(
                    files: [("manifest.yaml", emptyRun)],
                    command: "waybill run manifest.yaml --out manifest.yaml"
                ),
                right: Sample(
                    files: [("manifest.yaml", emptyRun)],
                    command: "waybill run manifest.yaml --out results"
                )
            )
        ),
        Explanation(
            "mock-error",
            "the mock server could not be started",
            """
            The port is in use by another program, or requires permissions that you do not have. Port 0 selects a free
            one.
            """
        ),
    ]

    private static let mockRun = "waybill run manifest.yaml --mock"
    private static let emptyRun = "waybill: 1\ngraphs: {main: {chain: []}}"
}
