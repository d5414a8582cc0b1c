import WaybillDiagnostics

extension Explanation {
    /// About settings of a request that contradict each other.
    static let contradictions: [Explanation] = [
        Explanation(
            "status-contradiction",
            "the expected status contradicts other settings",
            """
            No response has a status of the class 1xx. Redirects are followed unless 'redirects' is false, so their
            statuses are not seen. Responses with 204, 205 or 304, and those to HEAD, have no body to check. Filters,
            outputs and 'returns' are for responses of the class 2xx.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/old", expect: {status: 301}}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/old", redirects: false, expect: {status: 301}}]}}
                """
        ),
        Explanation(
            "intercept-action",
            "a hook of 'intercept' has an action that is not allowed there",
            """
            Only 'beforeSuccess' may 'fail', which makes a success a failure, and only 'beforeFailure' may 'recover', which
            makes a failure a success. After both, the result is final, and the hooks may only 'log'.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - get: http://127.0.0.1/user
                        intercept: {afterFailure: [{recover: {name: unknown}}]}
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - get: http://127.0.0.1/user
                        intercept: {beforeFailure: [{recover: {name: unknown}}]}
                """
        ),
        Explanation(
            "verification-off",
            "the identity of a server is not verified",
            """
            Without verification, anybody between you and the server can read and change everything, including
            passwords. To trust a server whose certificate is signed by an authority of your own, name the authority's
            certificate with 'ca'. To trust a server with a self-signed certificate, keep 'verify: false' and name the
            server's key with 'pins', which are always checked.
            """,
            wrong: """
                waybill: 1
                services: {staging: {baseURL: "https://staging.example.com", tls: {verify: false}}}
                graphs: {main: {chain: [{get: /health}]}}
                """,
            right: """
                waybill: 1
                services:
                  staging:
                    baseURL: https://staging.example.com
                    tls: {pins: ["sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="]}
                graphs: {main: {chain: [{get: /health}]}}
                """
        ),
        Explanation(
            "readable-credentials",
            "a token is requested without TLS",
            """
            The request for a token contains the client's secret or a user's password, and its response contains the
            token. Over plain http, anybody between you and the server can read them (RFC 6749, section 3.2, requires
            TLS).
            """,
            wrong: """
                waybill: 1
                secrets: {secret: {env: CLIENT_SECRET}}
                services:
                  shop:
                    baseURL: https://shop.example.com
                    auth:
                      oauth2:
                        tokenURL: http://login.example.com/token
                        grant: client_credentials
                        clientId: reports
                        clientSecret: ${secrets.secret}
                graphs: {main: {chain: [{get: /orders}]}}
                """,
            right: """
                waybill: 1
                secrets: {secret: {env: CLIENT_SECRET}}
                services:
                  shop:
                    baseURL: https://shop.example.com
                    auth:
                      oauth2:
                        tokenURL: https://login.example.com/token
                        grant: client_credentials
                        clientId: reports
                        clientSecret: ${secrets.secret}
                graphs: {main: {chain: [{get: /orders}]}}
                """
        ),
        Explanation(
            "retry-without-effect",
            "a request is never retried",
            """
            A POST or PATCH that the server may have received is not sent again, because its effect could happen
            twice. Without 'unsafe: true' it is retried only if no connection was established ('dns', 'connect'), and
            'for' contains neither of these.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{post: "http://127.0.0.1/orders", retry: {times: 3, for: [503]}}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{post: "http://127.0.0.1/orders", retry: {times: 3, for: [503], unsafe: true}}]}}
                """
        ),
        Explanation(
            "session-cycle",
            "a session depends on itself",
            """
            The endpoint that a session calls uses a value of the session, often through its service's 'auth' or
            'headers'. Set 'auth: none' at the endpoint, or remove the header field with null.
            """,
            wrong: """
                waybill: 1
                services:
                  shop:
                    baseURL: http://127.0.0.1
                    auth: {bearer: "${session.token}"}
                    session: {call: login}
                endpoints:
                  login: {method: POST, path: /login, outputs: {token: {value: $.token, secret: true}}}
                graphs: {main: {chain: [{get: /orders}]}}
                """,
            right: """
                waybill: 1
                services:
                  shop:
                    baseURL: http://127.0.0.1
                    auth: {bearer: "${session.token}"}
                    session: {call: login}
                endpoints:
                  login: {method: POST, path: /login, auth: none, outputs: {token: {value: $.token, secret: true}}}
                graphs: {main: {chain: [{get: /orders}]}}
                """
        ),
        Explanation(
            "pagination-clash",
            "a page parameter is already set",
            """
            'paginate' sets a query parameter for each page, but the request already has one with the same name.
            Remove that one; 'start' sets the first number.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {get: "http://127.0.0.1/orders", query: {page: 1}, paginate: {page: {query: page}}}
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {get: "http://127.0.0.1/orders", paginate: {page: {query: page, start: 1}}}
                """
        ),
        Explanation(
            "download-has-no-data",
            "data of a download is used",
            """
            A download is written to its file as it arrives, however large it is, and is not decoded: there is no data
            for filters, conditions on the body, or outputs that start with $. Header fields and the status can be
            used. The data of a response that is not a download can be used, and written with 'write'.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/a.zip", download: {to: a.zip}, outputs: {size: $.size}}]}}
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - get: http://127.0.0.1/a.json
                        outputs: {size: $.size}
                        write: {to: a.json}
                """
        ),
    ]
}
