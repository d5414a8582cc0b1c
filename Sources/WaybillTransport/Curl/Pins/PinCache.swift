import Synchronization

/// The sets of pins of a transport, whose files are read once.
final class PinCache: Sendable {
    private let sets = Mutex<[[TransferOptions.TLS.Pin]: PinSet]>([:])

    /// The set of some pins; nil for none. Throws for pins that cannot be read, which are tried again the next time.
    func set(for pins: [TransferOptions.TLS.Pin]) throws(TransportFailure) -> PinSet? {
        guard !pins.isEmpty else { return nil }
        if let known = sets.withLock({ $0[pins] }) { return known }
        let set = try PinSet(pins)
        sets.withLock { $0[pins] = set }
        return set
    }
}
