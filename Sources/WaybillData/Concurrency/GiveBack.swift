import Dispatch

/// Lets go of something with very many parts a second later and on another thread, since giving each of them back takes
/// time: nobody need wait for it, and a process that ends before leaves it to the system.
package func giveBackLater(_ value: some Sendable) {
    DispatchQueue.global().asyncAfter(deadline: .now() + 1) { withExtendedLifetime(value) {} }
}
