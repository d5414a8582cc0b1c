import WaybillDiagnostics

/// The merging of settings that were written at several levels.
///
/// `headers`, `query`, `params` and `expect.headers` merge name by name and `null` takes a name away; `filters` and
/// `expect.body` add up, farther first; everything else is replaced whole by the nearest that says it.
package enum Cascade {
    /// Merges levels, the farthest first. A name that was taken away stays in the result with no value.
    package static func merge(_ levels: [Settings]) -> Settings {
        var merged = Settings()
        for level in levels { merged.apply(level) }
        return merged
    }
}

extension Settings {
    /// Lays a nearer level over this one.
    fileprivate mutating func apply(_ near: Settings) {
        if !near.inherit.headers { headers = [] }
        if !near.inherit.query { query = [] }
        if !near.inherit.params { params = [] }
        if !near.inherit.filters { filters = [] }
        if !near.inherit.expect { expect = Expectation() }

        headers.merge(near.headers) { $0.name.value.lowercased() }
        query.merge(near.query) { $0.name.value }
        params.merge(near.params) { $0.name.value }
        filters += near.filters
        expect.apply(near.expect)

        baseURL = near.baseURL ?? baseURL
        version = near.version ?? version
        body = near.body ?? body
        encoding = near.encoding ?? encoding
        arrays = near.arrays ?? arrays
        timeout = near.timeout ?? timeout
        connectTimeout = near.connectTimeout ?? connectTimeout
        auth = near.auth ?? auth
        userAgent = near.userAgent ?? userAgent
        accept = near.accept ?? accept
        decoding = near.decoding ?? decoding
        compression = near.compression ?? compression
        maxBody = near.maxBody ?? maxBody
        concurrency = near.concurrency ?? concurrency
        maxConnections = near.maxConnections ?? maxConnections
        standalone = near.standalone ?? standalone
        inherit = inherit.declining(near.inherit)
    }
}

extension Expectation {
    fileprivate mutating func apply(_ near: Expectation) {
        headers.merge(near.headers) { $0.name.value.lowercased() }
        body += near.body
        status = near.status ?? status
        json = near.json ?? json
        maxTime = near.maxTime ?? maxTime
        schema = near.schema ?? schema
    }
}

extension Inheritance {
    /// What either of two levels declines. Merged levels still decline what is farther than both.
    fileprivate func declining(_ other: Inheritance) -> Inheritance {
        Inheritance(
            headers: headers && other.headers,
            query: query && other.query,
            params: params && other.params,
            filters: filters && other.filters,
            expect: expect && other.expect
        )
    }
}

extension Array {
    /// Replaces the elements that have the same name as one of `others`, and adds the rest at the end.
    fileprivate mutating func merge(_ others: [Element], by name: (Element) -> String) {
        for other in others {
            if let index = firstIndex(where: { name($0).utf8.elementsEqual(name(other).utf8) }) {
                self[index] = other
            } else {
                append(other)
            }
        }
    }
}
