extension Value {
    /// The value as one of your own types.
    ///
    /// ```swift
    /// struct Totals: Decodable { var spent: Double }
    /// let totals = try report.outputs.decode([String: Totals].self)
    /// ```
    ///
    /// A number is decoded as a whole number only where it is one and fits, and as a `Double` where it is not too large.
    ///
    /// - Throws: `DecodingError` with the path to what does not fit.
    public func decode<T: Decodable>(_ type: T.Type = T.self) throws -> T {
        try ValueDecoder(json, at: []).decode(type)
    }
}
