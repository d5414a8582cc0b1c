import WaybillDiagnostics

extension Explanation {
    /// About values in a special format: durations, sizes, URLs.
    static let values: [Explanation] = [
        Explanation(
            "invalid-duration",
            "a duration is invalid, or its unit is missing",
            """
            A duration is a number with one of the units ms, s, m or h, such as 250ms or 1.5h. A bare number could mean
            seconds to one reader and milliseconds to the next.
            """,
            wrong: """
                waybill: 1
                defaults: {timeout: "30"}
                """,
            right: """
                waybill: 1
                defaults: {timeout: 30s}
                """
        ),
        Explanation(
            "out-of-range",
            "a number, duration or size is too large, or a time limit is zero",
            """
            Integers go up to 2^63 - 1, durations up to ten years, sizes up to 2^53 - 1 bytes. A larger value cannot
            be used as written.

            A time limit (timeout, connectTimeout, deadline, maxTime) must be more than zero.
            """,
            wrong: """
                waybill: 1
                defaults: {timeout: 2562047h}
                """,
            right: """
                waybill: 1
                defaults: {timeout: 2h}
                """
        ),
        Explanation(
            "invalid-size",
            "a size is not a number of bytes",
            """
            A size is a number of bytes, bare or with a unit: kB, MB and GB count in thousands, KiB, MiB and GiB in 1024s.
            """,
            wrong: """
                waybill: 1
                defaults: {maxBody: 10 megabytes}
                """,
            right: """
                waybill: 1
                defaults: {maxBody: 10MB}
                """
        ),
        Explanation(
            "invalid-url",
            "an address is not an absolute http or https URL",
            """
            A base URL or a 'url' starts with http:// or https:// and a host. Other protocols are not supported, and a
            path alone belongs under 'path'. A base URL has no query and no fragment, because paths are added to its
            end. No URL contains a user name or password: write them under 'auth'.
            """,
            wrong: """
                waybill: 1
                defaults: {baseURL: api.example.com}
                """,
            right: """
                waybill: 1
                defaults: {baseURL: "https://api.example.com"}
                """
        ),
        Explanation(
            "invalid-media-range",
            "a media range is invalid",
            """
            The types that a response may have are media ranges (RFC 9110, section 12.5.1): a type, a slash and a
            subtype, each of which may be *.
            """,
            wrong: """
                waybill: 1
                defaults: {accept: [json]}
                """,
            right: """
                waybill: 1
                defaults: {accept: [application/json]}
                """
        ),
        Explanation(
            "invalid-status",
            "a status is invalid",
            """
            A status is a number from 100 to 599 or a class such as 2xx; several are written as a list.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", expect: {status: ok}}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", expect: {status: [200, 404]}}]}}
                """
        ),
        Explanation(
            "invalid-method",
            "a method is not one word",
            """
            A method is a token (RFC 9110, section 9.1): GET, POST, or any other word without spaces. Methods are
            case-sensitive, and the common ones are written in upper case.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{request: {method: GET /orders, url: "http://127.0.0.1/orders"}}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{request: {method: GET, url: "http://127.0.0.1/orders"}}]}}
                """
        ),
        Explanation(
            "invalid-id",
            "the id of a step cannot be used in expressions",
            """
            Other steps refer to this one as steps.ID, so an id is a name: a letter or _, then letters, digits, _ and
            -. Use 'name' for words that are for people.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{id: log in, get: "http://127.0.0.1/"}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{id: log-in, name: Log in, get: "http://127.0.0.1/"}]}}
                """
        ),
        Explanation(
            "invalid-type",
            "the short form of a type is invalid",
            """
            An input is declared by a JSON Schema, or in short by its type: string, number, integer, boolean, object,
            array or null, several joined by '|', with '?' at the end if null is allowed too.
            """,
            wrong: """
                waybill: 1
                inputs: {size: int}
                """,
            right: """
                waybill: 1
                inputs: {size: integer?}
                """
        ),
        Explanation(
            "invalid-header-name",
            "the name of a header field contains characters that are not allowed",
            """
            A name is a token (RFC 9110, section 5.1): letters, digits, '-' and a few signs. It has no spaces, and the colon
            is not part of it.
            """,
            wrong: """
                waybill: 1
                defaults: {headers: {"X-Request-Id:": a1}}
                """,
            right: """
                waybill: 1
                defaults: {headers: {X-Request-Id: a1}}
                """
        ),
        Explanation(
            "invalid-header-value",
            "the value of a header field contains characters that are not allowed",
            """
            A value has no line break, no NUL and no other control character except tab (RFC 9110, section 5.5): what
            follows a line break would be another field, or the body.
            """,
            wrong: #"""
                waybill: 1
                defaults: {headers: {X-Request-Id: "a1\r\nX-Admin: yes"}}
                """#,
            right: """
                waybill: 1
                defaults: {headers: {X-Request-Id: a1, X-Admin: yes}}
                """
        ),
        Explanation(
            "framing-header",
            "a header field that determines where a request ends is set explicitly",
            """
            The length of a body is known when it is sent, and is written to Content-Length. A Content-Length with
            another number and a Transfer-Encoding are rejected, because the server would find the end of the request
            elsewhere; a Content-Length with the right number has no effect.
            """,
            wrong: """
                waybill: 1
                services: {orders: {baseURL: "http://127.0.0.1:8080"}}
                graphs: {main: {chain: [{post: /orders, body: {text: abc}, headers: {Content-Length: 5}}]}}
                """,
            right: """
                waybill: 1
                services: {orders: {baseURL: "http://127.0.0.1:8080"}}
                graphs: {main: {chain: [{post: /orders, body: {text: abc}}]}}
                """
        ),
        Explanation(
            "invalid-media-type",
            "a media type is invalid",
            """
            The type of a part of a body is a type, a slash and a subtype, such as image/png; parameters may follow
            after a semicolon.
            """,
            wrong: """
                waybill: 1
                defaults: {body: {multipart: [{name: note, text: hello, contentType: text}]}}
                """,
            right: """
                waybill: 1
                defaults: {body: {multipart: [{name: note, text: hello, contentType: text/plain}]}}
                """
        ),
        Explanation(
            "invalid-name",
            "a name cannot be used for the element of a forEach",
            """
            'as' is the name of each element in expressions: a letter or _, then letters, digits, _ and -. It cannot
            be a name that the language defines itself, such as 'inputs' or 'steps'.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main: {chain: [{forEach: {in: [1, 2], as: item}, get: "http://127.0.0.1/${item}"}]}
                """,
            right: """
                waybill: 1
                graphs:
                  main: {chain: [{forEach: {in: [1, 2], as: number}, get: "http://127.0.0.1/${number}"}]}
                """
        ),
    ]
}
