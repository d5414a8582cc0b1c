import CLibCurl

extension EasyOptions {
    /// Sets where to connect, through which proxy and with which TLS options.
    mutating func setRoute(_ prepared: PreparedRequest) {
        let options = prepared.request.options
        if let connectTo = prepared.origin.connectTo { setList(CURLOPT_CONNECT_TO, ["::\(connectTo)"]) }
        if let path = prepared.origin.unixSocket { set(CURLOPT_UNIX_SOCKET_PATH, path) }
        if let interface = options.interface { set(CURLOPT_INTERFACE, interface) }
        if let proxy = prepared.proxy {
            set(CURLOPT_PROXY, proxy.url)
            set(CURLOPT_NOPROXY, proxy.exceptions)
            // Only with user name and password: Kerberos is not supported.
            set(CURLOPT_SOCKS5_AUTH, Int(bitPattern: CURLAUTH_BASIC_BITS))
            // A proxy's response to CONNECT is not part of the response.
            set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        } else {
            // Otherwise the environment's proxies would be used.
            set(CURLOPT_NOPROXY, "*")
        }
        if prepared.origin.isSecure || prepared.proxy != nil { setTLS(prepared) }
    }

    private mutating func setTLS(_ prepared: PreparedRequest) {
        let tls = prepared.request.options.tls
        if !tls.verifiesPeer { set(CURLOPT_SSL_VERIFYPEER, 0) }
        if !tls.verifiesHost { set(CURLOPT_SSL_VERIFYHOST, 0) }
        if let file = tls.certificateAuthorities {
            set(CURLOPT_CAINFO, file)
            set(CURLOPT_PROXY_CAINFO, file)
        }
        if let version = tls.minimumVersion { set(CURLOPT_SSLVERSION, version.atLeast) }
        if let file = tls.clientCertificate {
            set(CURLOPT_SSLCERT, file)
            set(CURLOPT_SSLCERTTYPE, Self.certificateType(of: file))
        }
        if let file = tls.clientKey {
            set(CURLOPT_SSLKEY, file)
            set(CURLOPT_SSLKEYTYPE, file.hasSuffix(".der") ? "DER" : "PEM")
        }
        if let identity = tls.identity { separateConnections(by: identity) }
        // A resumed session has no verified chain to compare pins with.
        if prepared.pins != nil { set(CURLOPT_SSL_SESSIONID_CACHE, 0) }
    }

    /// Prevents libcurl from using connections and TLS sessions of requests with another identity.
    private mutating func separateConnections(by identity: String) {
        if LibCurl.supportsSRP {
            // libcurl uses this password only together with a user name, but always compares it.
            set(CURLOPT_TLSAUTH_PASSWORD, identity)
        } else {
            set(CURLOPT_SSL_SESSIONID_CACHE, 0)
            set(CURLOPT_FRESH_CONNECT, 1)
            set(CURLOPT_FORBID_REUSE, 1)
        }
    }

    private static func certificateType(of file: String) -> String {
        let name = file.lowercased()
        if name.hasSuffix(".p12") || name.hasSuffix(".pfx") { return "P12" }
        return name.hasSuffix(".der") || name.hasSuffix(".cer") ? "DER" : "PEM"
    }
}

extension TransferOptions.TLS.Version {
    /// libcurl's number for "this version or a later one".
    fileprivate var atLeast: Int {
        switch self {
        case .v1_0: Int(CURL_SSLVERSION_TLSv1_0)
        case .v1_1: Int(CURL_SSLVERSION_TLSv1_1)
        case .v1_2: Int(CURL_SSLVERSION_TLSv1_2)
        case .v1_3: Int(CURL_SSLVERSION_TLSv1_3)
        }
    }
}
