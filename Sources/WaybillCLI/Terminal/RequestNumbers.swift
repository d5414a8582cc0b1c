import WaybillResults

/// Counts the pages that steps with `paginate` request, and the attempts for each page. Events number the attempts of all
/// pages of a step together.
struct RequestNumbers: Sendable {
    /// A page after the first one of a step or an element.
    private struct Page {
        var number: Int
        /// The number of attempts for the pages before it.
        var earlierAttempts: Int
    }

    /// The number of the last attempt of each running step and element.
    private var attempts: [String: Int] = [:]
    private var pages: [String: Page] = [:]

    /// Counts an event.
    mutating func take(_ event: RunEvent) {
        guard let step = event.step else { return }
        switch event.kind {
        case .requestWillSend(let request): attempts[step] = request.attempt
        case .pageFinished(let end):
            pages[step] = end.nextPage == nil ? nil : Page(number: end.number + 1, earlierAttempts: attempts[step] ?? 0)
        case .pollFinished: pages[step] = nil
        case .stepFinished: forget(step)
        case .elementFinished(let end): forget("\(step)[\(end.index)]")
        default: break
        }
    }

    /// Returns the number of the page that a step requests; `nil` for the first one, or without `paginate`.
    func page(of step: String) -> Int? { pages[step]?.number }

    /// Returns the number of an attempt among those for the same page.
    func number(ofAttempt attempt: Int, of step: String) -> Int {
        attempt - (pages[step]?.earlierAttempts ?? 0)
    }

    private mutating func forget(_ step: String) {
        attempts[step] = nil
        pages[step] = nil
    }
}
