import WaybillDiagnostics

extension Explanation {
    /// About where secrets may go.
    static let secrets: [Explanation] = [
        Explanation(
            "secret-exposed",
            "a secret would be written or shown",
            """
            What is declared under 'secrets', and each output marked with 'secret: true', is never written anywhere. Neither is
            what is made of it, also by way of inputs, variables and elements of a 'forEach': it goes into no file that 'write'
            makes, into no file's name, no key of 'duplicates', no data of a response, and no output that is not marked itself.

            A digest, sha256(…) or hmac(…), is no secret, nor is a length or the outcome of a comparison.
            """,
            wrong: """
                waybill: 1
                secrets: {key: {env: API_KEY}}
                graphs:
                  main:
                    chain:
                      - get: http://127.0.0.1/orders
                        auth: {bearer: "${secrets.key}"}
                        outputs: {key: secrets.key}
                """,
            right: """
                waybill: 1
                secrets: {key: {env: API_KEY}}
                graphs:
                  main:
                    chain:
                      - get: http://127.0.0.1/orders
                        auth: {bearer: "${secrets.key}"}
                        outputs: {key: {value: secrets.key, secret: true}}
                """
        ),
        Explanation(
            "secret-in-url",
            "a secret goes into a URL",
            """
            Waybill shows no secret, also not in a URL, but servers and proxies write URLs to their logs, and browsers keep them.
            Send the secret in a header field, with 'auth' or 'headers'. Where the server wants a key in the query, 'apiKey' says
            that it is meant to be there.
            """,
            wrong: """
                waybill: 1
                secrets: {key: {env: API_KEY}}
                graphs:
                  main:
                    chain:
                      - {get: "http://127.0.0.1/orders", query: {key: "${secrets.key}"}}
                """,
            right: """
                waybill: 1
                secrets: {key: {env: API_KEY}}
                graphs:
                  main:
                    chain:
                      - get: http://127.0.0.1/orders
                        auth: {apiKey: {in: query, name: key, value: "${secrets.key}"}}
                """
        ),
        Explanation(
            "unmarked-credential",
            "an output is named like a credential and is not marked secret",
            """
            Only secrets that are declared or marked are redacted. An output named token, accessToken, password, secret, apiKey
            or the like usually is a credential that a server has issued; without a mark it is written to the journal and to
            outputs.json as it is. Mark it with 'secret: true'. If it is not a credential, 'secret: false' says so.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {id: login, post: "http://127.0.0.1/login", outputs: {token: $.token}}
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {id: login, post: "http://127.0.0.1/login", outputs: {token: {value: $.token, secret: true}}}
                """
        ),
    ]
}
