import WaybillDiagnostics

extension Explanation {
    /// About requests, which combine the settings of service, endpoint and step.
    static let requests: [Explanation] = [
        Explanation(
            "no-base-url",
            "a path has no base URL",
            """
            A path is added to the base URL of the request, its service or the defaults, but none of them has one. Set
            a 'baseURL' there, or write the whole address as 'url'.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: /orders}]}}
                """,
            right: """
                waybill: 1
                defaults: {baseURL: "http://127.0.0.1"}
                graphs: {main: {chain: [{get: /orders}]}}
                """
        ),
        Explanation(
            "encoded-slash",
            "a value with slashes is encoded as one path segment",
            """
            Each ${…} in a path is percent-encoded as one segment, so that a value cannot lead to another address:
            apple/swift is sent as apple%2Fswift. Some servers require exactly that; for others write raw(…), which
            keeps the slashes.
            """,
            wrong: """
                waybill: 1
                inputs: {repo: {type: string, default: apple/swift}}
                graphs: {main: {chain: [{get: "https://api.github.com/repos/${inputs.repo}"}]}}
                """,
            right: """
                waybill: 1
                inputs: {repo: {type: string, default: apple/swift}}
                graphs: {main: {chain: [{get: "https://api.github.com/repos/${raw(inputs.repo)}"}]}}
                """
        ),
        Explanation(
            "service-needed",
            "the service of a request is ambiguous",
            """
            A request belongs to the service that it names, or to the only one. If there are several services, each
            request with a path must name one, at the endpoint or the step, or at a chain or batch around it.
            """,
            wrong: """
                waybill: 1
                services: {orders: {baseURL: "http://127.0.0.1:8080"}, users: {baseURL: "http://127.0.0.1:8081"}}
                graphs: {main: {chain: [{get: /a, service: orders}, {get: /b, service: users}, {get: /c}]}}
                """,
            right: """
                waybill: 1
                services: {orders: {baseURL: "http://127.0.0.1:8080"}, users: {baseURL: "http://127.0.0.1:8081"}}
                graphs: {main: {chain: [{get: /a, service: orders}, {get: /b, service: users}]}}
                """
        ),
        Explanation(
            "parameter-clash",
            "a parameter is set at two levels",
            """
            The 'params' of the defaults and of a service are always sent; those of an endpoint or a step are sent in
            addition. A name at two levels would be sent twice or lose one value, so it is an error. Remove the outer
            ones with null or with 'inherit: {params: false}', or rename one.
            """,
            wrong: """
                waybill: 1
                defaults: {params: {page: 1}}
                graphs: {main: {chain: [{get: "http://127.0.0.1/", params: {page: 2}}]}}
                """,
            right: """
                waybill: 1
                defaults: {params: {page: 1}}
                graphs: {main: {chain: [{get: "http://127.0.0.1/", params: {page: 2}, inherit: {params: false}}]}}
                """
        ),
        Explanation(
            "params-and-body",
            "a request has parameters and another body",
            """
            With methods such as POST, the 'params' are the body of the request, but there is also an explicit 'body',
            which cannot contain them. Put parameters of the URL under 'query', whatever the method.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{post: "http://127.0.0.1/", params: {page: 1}, body: {json: {a: 1}}}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{post: "http://127.0.0.1/", query: {page: 1}, body: {json: {a: 1}}}]}}
                """
        ),
        Explanation(
            "body-without-meaning",
            "a GET or HEAD request has a body",
            """
            A body has no meaning with GET and HEAD (RFC 9110, section 9.3): many servers ignore it, and some close the
            connection. It is sent nevertheless, so this is a warning. Use 'params' or 'query', or another method.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", body: {json: {a: 1}}}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", query: {a: 1}}]}}
                """
        ),
        Explanation(
            "http2-without-tls",
            "HTTP/2 is required without TLS",
            """
            'http: 2' means that client and server negotiate HTTP/2 in the TLS handshake, so the URL must be https.
            For a server that speaks HTTP/2 without TLS, use 'http: 2-prior-knowledge'.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", http: 2}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", http: 2-prior-knowledge}]}}
                """
        ),
        Explanation(
            "certificate-without-tls",
            "a certificate is expected for a request without TLS",
            """
            'expect: {certificate: …}' is about the certificate that the server presents in the TLS handshake. A
            request to an http:// URL has no handshake, so the expectation would always fail.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", expect: {certificate: {expiresIn: ">30d"}}}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{get: "https://127.0.0.1/", expect: {certificate: {expiresIn: ">30d"}}}]}}
                """
        ),
        Explanation(
            "lowercase-method",
            "a method is written in lower case",
            """
            Methods are case-sensitive (RFC 9110, section 9.1), and the standard ones are in upper case: servers
            reject 'get', or treat it as a method of their own. It is sent as written, so this is a warning.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{request: {method: get, url: "http://127.0.0.1/"}}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{request: {method: GET, url: "http://127.0.0.1/"}}]}}
                """
        ),
    ]
}
