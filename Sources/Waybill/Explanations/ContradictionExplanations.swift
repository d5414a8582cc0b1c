import WaybillDiagnostics

extension Explanation {
    /// About settings of a request that do not go together.
    static let contradictions: [Explanation] = [
        Explanation(
            "status-contradiction",
            "a status is expected that does not go with the rest",
            """
            No response has a status of the class 1xx. Redirects are followed, so their statuses are not seen, unless 'redirects' is
            false. Answers with 204, 205 or 304, and those to HEAD, have no body that could be looked at. Filters, outputs and
            'returns' are for responses of the class 2xx.
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
            "a hook of 'intercept' has an action that it must not have",
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
            "a server need not prove who it is",
            """
            Without verification anybody between you and the server can read and change everything, also passwords. A server with
            a certificate of its own making is trusted by naming that certificate, or the one that signed it, with 'ca', or by its
            key with 'pins'.
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
            "a token is asked for without TLS",
            """
            The request for a token shows the client's secret or a user's password, and its response the token. Over plain http
            anybody between you and the server can read them (RFC 6749, section 3.2, asks for TLS).
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
            "a request is never sent again",
            """
            A POST or PATCH that the server may have got is not sent again, since it could be done twice. Without 'unsafe: true'
            it is repeated only where no connection came about ('dns', 'connect'), and 'for' has none of these.
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
            "a session needs itself",
            """
            The endpoint that a session calls takes something from the session, often by way of its service's 'auth' or 'headers'.
            Let the endpoint say 'auth: none', or take the header field away with null.
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
            "a page's parameter is given already",
            """
            'paginate' fills a query parameter for each page, and the request has one of the same name. Take it away there; the
            first number is said with 'start'.
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
            A download goes to its file as it comes, however large it is, and is not decoded: there is nothing for filters,
            conditions on the body, or outputs that begin at $. Header fields and the status can be used; a response that is
            data can be used and written with 'write'.
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
