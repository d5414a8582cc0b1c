import WaybillDiagnostics

extension Explanation {
    /// About runs: each kind of failure of a step, and what keeps a run from being carried out.
    static let failures: [Explanation] = [
        Explanation(
            "input",
            "a request could not be made from its inputs",
            """
            A value that the request needs is missing or not of its kind when the step begins: an input does not fit its
            schema, an expression has no value, a header would have a line break in it. Nothing was sent.
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
            "a manifest was changed in what a run has already done",
            """
            'waybill resume' keeps the results of the steps that passed. If one of them is different in the manifest now, its
            result belongs to a request that is no longer asked for, so the run is not resumed. The message names the part that
            changed. Comments, white space, quotes and the order of keys are not compared, and steps that have not run yet may
            be changed. The data of files that a step uses ('data') is compared, too, except that the list of a 'forEach' that has
            not finished may be longer. Change the step or the file back, or start a new run.

            The run folder's sources.json has a digest of each part of each step. A run that was recorded by a version of
            Waybill with other digests is resumed only if no file of the manifest was changed.
            """
        ),
        Explanation(
            "kept-before-finally",
            "a run is resumed after its 'finally' has run",
            """
            'waybill resume' keeps the results of the steps that passed, also where the steps of 'finally' have run since. These
            often delete what the steps before them created, so that the steps that still have to run would look for what is
            gone. If that is so, start a new run.
            """
        ),
        Explanation(
            "long-secret",
            "a secret is too long",
            """
            Everything that is written is searched for the values of secrets, in all the forms that encodings give them. That is
            done for values of up to 64 KiB. Something longer, such as a file, is better sent with 'body: {file: …}'.
            """
        ),
        Explanation(
            "unsafe-repeat",
            "a request would have to be sent again",
            """
            'waybill resume' never sends a step again that passed, unless its method is safe (GET, HEAD) or --repeat-unsure is
            given. Here a step that still has to run needs something of it that no file holds: an output that a secret is part
            of, or cookies of the run. So nothing is sent. With --repeat-unsure the request is sent again, which may do its work
            twice, such as placing an order. Cookies that are kept in a file ('cookies: {jar: FILE}') are not lost, and the
            outputs of a service's 'session' are fetched again: write a login there.

            The same applies to a request that was in flight when the run ended: the server may have received it. The run stops
            before anything is sent, also before 'finally', unless the step tolerates its failure ('onFailure: continue').
            """
        ),
        Explanation(
            "dns",
            "the host's name could not be resolved",
            """
            No address is known for the host of the URL: it is misspelled, or the name server cannot be asked. Nothing was
            sent, so a retry is safe for any method.
            """
        ),
        Explanation(
            "connect",
            "no connection could be made",
            """
            Nothing listens at the address, a firewall refuses, or no response came in 'connectTimeout'. Nothing was sent, so
            a retry is safe for any method.
            """,
            wrongCommand: "waybill run manifest.yaml",
            rightCommand: mockRun,
            files: [
                ("manifest.yaml", "waybill: 1\ngraphs: {main: {chain: [{get: \"http://127.0.0.1:1/\", mock: {}}]}}")
            ]
        ),
        Explanation(
            "tls",
            "no secure connection could be set up",
            """
            The server's certificate has expired, is for another host, or is signed by an authority that is not trusted,
            or the two sides have no version of TLS in common. The request itself was not sent.
            """
        ),
        Explanation(
            "timeout",
            "it took longer than allowed",
            """
            The response was not complete within 'timeout', which counts for each attempt. The server may have acted on the
            request all the same, so only methods that may be repeated are retried.
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
            "the connection broke, or what came over it cannot be read",
            """
            The server closed the connection before the response was complete, sent what is no HTTP, or sent more than
            'maxBody' allows.
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
            "the service is known not to be reachable",
            """
            The service was tried a moment ago and could not be reached, so nothing was sent to it.
            """
        ),
        Explanation(
            "duplicate",
            "the request gave way to another of its kind",
            """
            The same request was under way, and 'duplicates' says that one of the two is to give way.
            """
        ),
        Explanation(
            "status",
            "the status of a response is not one that was expected",
            """
            Without 'expect' any status from 200 to 299 will do. Where another is right, such as 404 for something that
            has been deleted, say so with 'expect: {status: …}'. What the server says in its response is looked at for the
            message.
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
            'accept' says which media types a response may have, and this one has another or none. Often an error page or
            a login page came instead of data.
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
            "a body is not what its media type says",
            """
            The Content-Type of the response, or 'decoding', says how to read the body, and it cannot be read so. The body is
            kept in the results folder.
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
            "a filter stage refused the data",
            """
            A 'require' did not hold, an 'envelope' has a code that is not one of success, or a 'select' found nothing. The
            message is the server's where the stage says where that is.
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
            "an output could not be taken from the data",
            """
            The expression of an output has no value on this response. Where that is all right, give it a value with
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
            "a response is not as expected",
            """
            Something that 'expect' asks for does not hold. All of it is looked at, and everything that does not hold is
            shown together, each at its place in the manifest.
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
            "a file could not be fetched or stored whole",
            """
            Its checksum or its size is another than expected, the file cannot be written (the disk is full, the folder is not
            writable), or another process is downloading it. No file appears under its name.

            An interrupted transfer has the kind 'transfer' or 'timeout'. The bytes that have arrived stay in FILE.part, and
            'retry', 'waybill resume' or a later run with the same folder requests only the rest, if the server has a strong
            ETag or Last-Modified for the file. Bytes with a wrong checksum are deleted.
            """
        ),
        Explanation(
            "cancelled",
            "a step was stopped from outside",
            """
            The run was interrupted, or another step failed and with it all that was to stop with it. The step has done
            nothing wrong itself.
            """
        ),
        Explanation(
            "run-error",
            "a run could not be carried out or recorded",
            """
            The results folder cannot be made or written, or the program cannot set up what it needs. Where the journal
            cannot be written, a run is ended rather than carried on without one. The exit status is 3.
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
            "the mock server cannot be started",
            """
            The port is taken by another program, or needs rights that you do not have. Port 0 takes a free one.
            """
        ),
    ]

    private static let mockRun = "waybill run manifest.yaml --mock"
    private static let emptyRun = "waybill: 1\ngraphs: {main: {chain: []}}"
}
