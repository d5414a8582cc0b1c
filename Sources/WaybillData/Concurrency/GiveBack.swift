import Dispatch

/// Lets go of something with very many parts on another thread, since giving each of them back takes time and nobody need
/// wait for it.
package func giveBackLater(_ value: some Sendable) {
    DispatchQueue.global().async { withExtendedLifetime(value) {} }
}
