import WaybillDiagnostics

extension Explanation {
    /// About how requests reach their servers, and how often.
    static let connections: [Explanation] = [
        Explanation(
            "invalid-rate",
            "a rate is invalid, or its unit of time is missing",
            """
            A rate is a number of requests, a slash, and s, m or h: 10/s is ten per second.
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
            "'for' of a retry lists something that is neither a kind of failure nor a status",
            """
            'for' of a retry lists kinds of failure such as timeout, and statuses such as 503 or 5xx. 'waybill
            explain' describes each kind of failure.
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
            "a proxy is not a proxy URL",
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
            "a host under 'resolve' has no port",
            """
            'resolve' maps a host and a port, such as api.example.com:443, to an address. The port is required,
            because https and http may be served by different machines.
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
            "a host is resolved to something other than an IP address",
            """
            A host is resolved to a numeric address, IPv4 or IPv6. A name would itself have to be resolved.
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
            A pin is the SHA-256 digest of a public key in base64, with sha256// before it, or the path of the
            certificate in a .cer, .crt, .der or .pem file. A pin that cannot match anything would reject every
            connection.
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
