package import WaybillManifest

/// What gives the requests of a service what they share.
package struct SessionPlan: Sendable {
    /// The request.
    package var request: RequestPlan
    /// The statuses on which it is sent again.
    package var renewOn: [StatusPattern]
}

extension StepPlan {
    /// The request of a service's session as a step, which no other step can refer to.
    package init(fetching session: SessionPlan, of service: String) {
        self.init(
            id: nil,
            name: "session of \(service)",
            path: "session.\(service)",
            work: .request(session.request),
            flow: nil,
            onFailure: .stop,
            isTolerated: false,
            keeps: .outputs,
            span: session.request.address.text.span,
            form: .call
        )
    }
}
