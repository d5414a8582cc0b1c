import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Ctrl-C and SIGTERM: the first asks the run to stop, the second stops the program at once.
///
/// Unchecked, because dispatch sources are not marked as sendable; they are made once and only kept here.
final class StopSignals: @unchecked Sendable {
    private let received = Mutex<Int32?>(nil)
    private var sources: [any DispatchSourceSignal] = []

    /// The signal that asked for the stop, if any did.
    var signal: Int32? { received.withLock { $0 } }

    /// Listens from now on.
    init(_ stop: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM].map { number in
            // The default action would end the program before the source hears of the signal.
            #if canImport(Glibc)
                Glibc.signal(number, SIG_IGN)
            #else
                Darwin.signal(number, SIG_IGN)
            #endif
            return DispatchSource.makeSignalSource(signal: number, queue: .global())
        }
        for (number, source) in zip([SIGINT, SIGTERM], sources) {
            source.setEventHandler { [weak self] in
                let isFirst = self?.received.withLock { first -> Bool in
                    defer { first = first ?? number }
                    return first == nil
                }
                if isFirst == false { _exit(128 + number) }
                stop()
            }
            source.resume()
        }
    }
}
