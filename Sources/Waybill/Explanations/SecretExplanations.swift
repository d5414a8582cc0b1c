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
            makes, into no file's name, no key of 'duplicates', no data of an answer, and no output that is not marked itself.

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
    ]
}
