import WaybillTransport

extension HTTPRequest {
    /// The request with changed options.
    func with(_ change: (inout TransferOptions) -> Void) -> HTTPRequest {
        var request = self
        change(&request.options)
        return request
    }
}
