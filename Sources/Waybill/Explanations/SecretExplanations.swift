import WaybillDiagnostics

extension Explanation {
    /// About where secrets may go.
    static let secrets: [Explanation] = [
        Explanation(
            "secret-exposed",
            "a secret would be written or shown",
            """
            A value under 'secrets', and an output marked with 'secret: true', is never written anywhere. Neither is
            anything derived from it, even through inputs, variables and elements of a 'forEach'. It may not be used
            in a file that 'write' creates, in the name of a file, in a key of 'duplicates', in the data of a
            response, or in an output that is not marked itself.

            A digest, sha256(…) or hmac(…), is not secret, nor is a length or the result of a comparison.
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
            "a secret is part of a URL",
            """
            Waybill masks secrets in URLs too, but servers and proxies write URLs to their logs, and browsers keep
            them. Send the secret in a header field, with 'auth' or 'headers'. If the server requires a key in the
            query, use 'apiKey' to show that this is intended.
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
            "an output is named like a credential but is not marked as secret",
            """
            Only secrets that are declared or marked are redacted. An output named token, accessToken, password,
            secret, apiKey or similar is usually a credential that a server has issued; without a mark it is written
            to the journal and to outputs.json as is. Mark it with 'secret: true', or with 'secret: false' if it is
            not a credential.
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
