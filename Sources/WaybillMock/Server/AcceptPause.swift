import NIOCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Pauses a server that has no descriptor, or no memory, for a connection that waits. The connection stays ready to be accepted,
/// so that the server would try again without end, with all of a processor.
///
/// NIO's own `AcceptBackoffHandler` only delays reads that are yet to be asked for; the socket stays registered for the one that
/// failed.
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = Channel

    private static let duration = TimeAmount.milliseconds(100)

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        // Fails only where the channel is closed, and there is nothing to accept.
        let options = context.channel.syncOptions
        try? options?.setOption(.autoRead, value: false)
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.duration) {
            try? options?.setOption(.autoRead, value: true)
        }
    }
}
