/// An option of curl.
struct CurlOption {
    /// What becomes of an option.
    enum Effect {
        /// It changes the request.
        case used
        /// It concerns what curl does with the response or prints.
        case output
        /// It changes how the request is sent, in a way that a manifest does not express.
        case unsupported
    }

    /// The long name.
    let name: String
    let effect: Effect
    let hasValue: Bool
    /// Whether it is turned on: without `no-` before its name.
    var isOn = true

    /// Returns the option with a long name, with `no-` before it, or with a start of one that has only one end.
    static func named(_ name: String) -> CurlOption? {
        if let option = known[name] { return option }
        if name.hasPrefix("no-"), var option = known[String(name.dropFirst(3))], !option.hasValue {
            option.isOn = false
            return option
        }
        let matches = known.keys.filter { $0.hasPrefix(name) }
        return matches.count == 1 ? known[matches[0]] : nil
    }

    /// Returns the option of a letter.
    static func short(_ letter: Unicode.Scalar) -> CurlOption? { letters[letter].flatMap(named) }

    /// The options by long name.
    static let known: [String: CurlOption] = {
        var known: [String: CurlOption] = [:]
        func add(_ names: String, _ effect: Effect, hasValue: Bool) {
            for name in names.split(separator: " ").map(String.init) {
                known[name] = CurlOption(name: name, effect: effect, hasValue: hasValue)
            }
        }
        add(
            """
            data data-ascii data-binary data-raw data-urlencode json form form-string header user user-agent referer cookie \
            cookie-jar request url url-query upload-file range max-time connect-timeout max-redirs cacert cert key \
            pinnedpubkey proxy proxy-user preproxy noproxy resolve unix-socket interface oauth2-bearer aws-sigv4 netrc-file \
            retry retry-delay retry-max-time tls-max config expect100-timeout proto-default socks4 socks4a socks5 \
            socks5-hostname proxy1.0 max-filesize
            """,
            .used,
            hasValue: true
        )
        add(
            """
            get head insecure compressed location digest basic anyauth netrc netrc-optional http1.0 http1.1 http2 \
            http2-prior-knowledge tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 globoff next path-as-is form-escape \
            retry-all-errors retry-connrefused junk-session-cookies proxy-basic location-trusted disable
            """,
            .used,
            hasValue: false
        )
        add(
            """
            output output-dir dump-header trace trace-ascii stderr write-out libcurl etag-save create-file-mode \
            keepalive-time speed-limit speed-time rate parallel-max
            """,
            .output,
            hasValue: true
        )
        add(
            """
            silent show-error verbose include fail fail-with-body fail-early progress-bar progress-meter buffer clobber \
            create-dirs remote-name remote-name-all remote-header-name remote-time remove-on-error styled-output \
            suppress-connect-headers trace-time xattr parallel parallel-immediate keepalive sessionid alpn npn \
            tcp-nodelay tcp-fastopen raw manual version help metalink list-only disallow-username-in-url
            """,
            .output,
            hasValue: false
        )
        add(
            """
            abstract-unix-socket alt-svc capath cert-type ciphers connect-to crlfile curves delegation dns-interface \
            dns-ipv4-addr dns-ipv6-addr dns-servers doh-url egd-file engine continue-at etag-compare ftp-account \
            ftp-alternative-to-user ftp-method ftp-port ftp-ssl-ccc-mode happy-eyeballs-timeout-ms hostpubmd5 \
            hostpubsha256 hsts key-type krb limit-rate local-port login-options mail-auth mail-from mail-rcpt pass proto \
            proto-redir proxy-cacert proxy-capath proxy-cert proxy-cert-type proxy-ciphers proxy-crlfile proxy-header \
            proxy-key proxy-key-type proxy-pass proxy-pinnedpubkey proxy-service-name proxy-tls13-ciphers \
            proxy-tlsauthtype proxy-tlspassword proxy-tlsuser pubkey quote random-file request-target sasl-authzid \
            service-name socks5-gssapi-service telnet-option tftp-blksize time-cond tls13-ciphers tlsauthtype tlspassword \
            tlsuser ech haproxy-clientip variable
            """,
            .unsupported,
            hasValue: true
        )
        add(
            """
            append cert-status compressed-ssh crlf disable-eprt disable-epsv doh-cert-status doh-insecure eprt epsv \
            false-start ftp-create-dirs ftp-pasv ftp-pret ftp-skip-pasv-ip ftp-ssl-ccc ftp-ssl-control haproxy-protocol \
            http0.9 http3 http3-only ignore-content-length ipv4 ipv6 mail-rcpt-allowfails negotiate ntlm ntlm-wb post301 \
            post302 post303 proxy-anyauth proxy-digest proxy-insecure proxy-negotiate proxy-ntlm proxy-ssl-allow-beast \
            proxy-ssl-auto-client-cert proxy-tlsv1 proxytunnel sasl-ir socks5-basic socks5-gssapi socks5-gssapi-nec ssl \
            ssl-allow-beast ssl-auto-client-cert ssl-no-revoke ssl-reqd ssl-revoke-best-effort sslv2 sslv3 \
            tftp-no-options tr-encoding use-ascii ca-native proxy-ca-native
            """,
            .unsupported,
            hasValue: false
        )
        return known
    }()

    private static let letters: [Unicode.Scalar: String] = [
        "a": "append", "A": "user-agent", "b": "cookie", "B": "use-ascii", "c": "cookie-jar", "C": "continue-at",
        "d": "data", "D": "dump-header", "e": "referer", "E": "cert", "f": "fail", "F": "form", "g": "globoff",
        "G": "get", "h": "help", "H": "header", "i": "include", "I": "head", "j": "junk-session-cookies",
        "J": "remote-header-name", "k": "insecure", "K": "config", "l": "list-only", "L": "location", "m": "max-time",
        "M": "manual", "n": "netrc", "N": "no-buffer", "o": "output", "O": "remote-name", "p": "proxytunnel",
        "P": "ftp-port", "q": "disable", "Q": "quote", "r": "range", "R": "remote-time", "s": "silent",
        "S": "show-error", "t": "telnet-option", "T": "upload-file", "u": "user", "U": "proxy-user", "v": "verbose",
        "V": "version", "w": "write-out", "x": "proxy", "X": "request", "y": "speed-time", "Y": "speed-limit",
        "z": "time-cond", "Z": "parallel", "0": "http1.0", "1": "tlsv1", "2": "sslv2", "3": "sslv3", "4": "ipv4",
        "6": "ipv6", ":": "next", "#": "progress-bar",
    ]
}
