import WaybillDiagnostics

extension Explanation {
    /// About requests as they are put together from service, endpoint and step.
    static let requests: [Explanation] = [
        Explanation(
            "no-base-url",
            "a path has no base URL",
            """
            A path is added to the base URL of the request, of its service or of the defaults, and none of them has one.
            Give one of them a 'baseURL', or write the whole address as 'url'.
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
            "a value with slashes is one segment of a path",
            """
            Each ${…} in a path is percent-encoded as one segment, so that a value cannot lead to another address: apple/swift
            is sent as apple%2Fswift. Some servers ask for exactly that; for the others write raw(…), which keeps the slashes.
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
            "it cannot be told which service a request goes to",
            """
            A request belongs to the service that it names, or to the only one. With several services each request by a
            path says which it means, at the endpoint or the step, or at a chain or batch around it.
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
            "a parameter is given at two levels",
            """
            The 'params' of the defaults and of a service are always sent; those of an endpoint or a step are sent besides
            them. One name at two levels would be sent twice or lose one value, so it is an error. Let the farther ones go
            with null or with 'inherit: {params: false}', or rename one.
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
            With methods such as POST the 'params' are the body of the request, and there is an explicit 'body' that they
            cannot be part of. What belongs into the address goes under 'query', whatever the method.
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
            "HTTP/2 is demanded without TLS",
            """
            'http: 2' means HTTP/2 as client and server agree on it in the TLS handshake, so the address must be https. A
            server that speaks HTTP/2 without TLS is addressed with 'http: 2-prior-knowledge'.
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
            "a certificate is expected of a request without TLS",
            """
            'expect: {certificate: …}' is about the certificate that the server shows in the TLS handshake. A request to an
            address with http:// has no handshake, so the expectation would fail each time.
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
            Methods are case-sensitive (RFC 9110, section 9.1), and those of the standard are in upper case: servers reject
            'get', or treat it as a method of their own. It is sent as written, so this is a warning.
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
