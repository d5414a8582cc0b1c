import WaybillTransport

extension HTTPRequest {
    /// A request with options changed.
    func with(_ change: (inout TransferOptions) -> Void) -> HTTPRequest {
        var request = self
        change(&request.options)
        return request
    }
}
