import WaybillDiagnostics

extension Explanation {
    /// About how requests reach their servers, and how often.
    static let connections: [Explanation] = [
        Explanation(
            "invalid-rate",
            "a rate lacks its time, or is none",
            """
            A rate is a number of requests, a slash, and s, m or h: 10/s is ten in each second.
            """,
            wrong: """
                waybill: 1
                defaults: {rate: 10 per second}
                """,
            right: """
                waybill: 1
                defaults: {rate: 10/s}
                """
        ),
        Explanation(
            "invalid-retry",
            "what is to be retried is no kind of failure and no status",
            """
            'for' of a retry lists kinds of failure such as timeout, and statuses such as 503 or 5xx. 'waybill explain'
            tells what each kind of failure is.
            """,
            wrong: """
                waybill: 1
                defaults: {retry: {times: 3, for: [time-out]}}
                """,
            right: """
                waybill: 1
                defaults: {retry: {times: 3, for: [timeout, 5xx]}}
                """
        ),
        Explanation(
            "invalid-proxy",
            "a proxy is not the URL of one",
            """
            A proxy is an http, https, socks5 or socks5h URL, or one of the words 'none' and 'environment'. With socks5h
            the proxy resolves the names of hosts.
            """,
            wrong: """
                waybill: 1
                defaults: {proxy: "proxy.example.com:3128"}
                """,
            right: """
                waybill: 1
                defaults: {proxy: "http://proxy.example.com:3128"}
                """
        ),
        Explanation(
            "invalid-host",
            "a host to resolve has no port",
            """
            'resolve' says which address stands for a host at a port, as in api.example.com:443. The port is part of it,
            since https and http may be served by different machines.
            """,
            wrong: """
                waybill: 1
                defaults: {resolve: {api.example.com: 127.0.0.1}}
                """,
            right: """
                waybill: 1
                defaults: {resolve: {"api.example.com:443": 127.0.0.1}}
                """
        ),
        Explanation(
            "invalid-address",
            "a host is resolved to something that is no IP address",
            """
            What a host is resolved to is an address in numbers, IPv4 or IPv6. Another name would have to be resolved
            itself.
            """,
            wrong: """
                waybill: 1
                defaults: {resolve: {"api.example.com:443": localhost}}
                """,
            right: """
                waybill: 1
                defaults: {resolve: {"api.example.com:443": "::1"}}
                """
        ),
        Explanation(
            "invalid-pin",
            "a pin is neither a digest nor a certificate",
            """
            A pin is the SHA-256 digest of a public key in base64, with sha256// before it, or the path of the certificate
            in a .cer, .crt, .der or .pem file. A pin that can match nothing would refuse every connection.
            """,
            wrong: """
                waybill: 1
                defaults: {tls: {pins: [sha256//abc]}}
                """,
            right: """
                waybill: 1
                defaults: {tls: {pins: [sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=]}}
                """
        ),
    ]
}
