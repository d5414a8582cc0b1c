import WaybillDiagnostics
import WaybillResults
import WaybillTransport

extension FailureKind {
    /// What a failure of the transport is for whoever reads results.
    init(_ kind: TransportFailure.Kind) {
        self =
            switch kind {
            case .dns: .dns
            case .connect: .connect
            case .tls: .tls
            case .timeout: .timeout
            case .transfer: .transfer
            case .cancelled: .cancelled
            }
    }
}
