package import WaybillDiagnostics
import WaybillExpressions
import WaybillManifest
package import WaybillPlan
package import WaybillResults
import WaybillTransport

/// What a resumed run does with the steps that passed, decided before anything is sent.
///
/// A step that passed keeps its result. It runs again only if a remaining step needs a result of it that the journal
/// does not contain: a value with a secret, or a cookie of the run's own jar. Even then, a request with an unsafe
/// method is sent again only if `repeatsUnsure` allows it; otherwise it is reported as an error, and nothing is sent.
package struct ResumeDecision: Sendable {
    /// Cookies that nothing sets again.
    package struct LostCookies: Sendable {
        /// The path of the step that set them.
        package var step: String
        /// The warning.
        package var message: String
        /// The location of the step.
        package var span: SourceSpan
    }

    /// The steps that passed and run again, by path.
    package internal(set) var repeatedSteps: Set<String> = []
    /// The elements that passed and run again, by the path of their `forEach`.
    package internal(set) var repeatedElements: [String: Set<Int>] = [:]
    /// Requests that would have to be sent again and must not be.
    package internal(set) var diagnostics: [Diagnostic] = []
    /// Cookies of elements and pages, which are not obtained again.
    package internal(set) var lostCookies: [LostCookies] = []
    /// Outputs of graphs, such as `main.login.token`, that nothing needs and whose values were not kept.
    package internal(set) var omittedOutputs: Set<String> = []
    /// The `forEach` steps all of whose elements run again, because their list is secret: the journal has nothing of its
    /// elements, so nothing shows whether those that finished are still at the same places.
    package internal(set) var restartedSteps: [String] = []
    /// The services whose sessions set cookies that remaining steps need, with the domains of the cookies.
    package internal(set) var cookieServices: [String: Set<String>] = [:]

    /// A decision in which every step keeps its result.
    package init() {}

    /// Decides what happens to the steps of a plan, given the earlier steps in the journal.
    package init(_ plan: Plan, _ earlier: EarlierSteps, repeatsUnsure: Bool) {
        var earlier = earlier
        if repeatsUnsure { earlier.forgetUnsure() }
        var index = PlanIndex(plan)
        restartedSteps = earlier.pathsOfSecretElements.filter {
            index.step(at: $0)?.flow?.forEach?.elements.mayChange ?? false
        }
        restartedSteps.forEach { earlier.restart($0) }
        var nodes = ResumeNodes(plan, earlier)
        let needs = ResumeNeeds(&nodes, earlier)
        for (index, need) in needs.repeated.sorted(by: { $0.key < $1.key }) {
            let node = nodes[index]
            if need.elements.isEmpty {
                repeatedSteps.insert(node.path)
            } else {
                repeatedElements[node.path] = need.elements
            }
            guard !repeatsUnsure, !nodes.isSafe(node) else { continue }
            diagnostics.append(.unsafeRepeat(node, need))
        }
        if !repeatsUnsure {
            diagnostics += Self.unsureRequests(of: plan, earlier)
            diagnostics += nodes.all.filter { $0.mustRestartPages && !nodes.isSafe($0) }.map(Diagnostic.unsafePages)
            diagnostics += nodes.all.filter { earlier.restarted.contains($0.path) && !nodes.isSafe($0) }
                .map { .unsafeRestart($0, ofSecretList: restartedSteps.contains($0.path)) }
        }
        diagnostics = diagnostics.sortedByLocation()
        lostCookies = needs.lostCookies
        omittedOutputs = needs.omittedOutputs
        cookieServices = needs.cookieServices
    }

    /// Errors for requests that may have been sent before, must not be sent twice, and whose failure is not tolerated.
    /// The run would fail because of them and execute its `finally`; after that, it is too late to send them again.
    private static func unsureRequests(of plan: Plan, _ earlier: EarlierSteps) -> [Diagnostic] {
        var index = PlanIndex(plan)
        var requests: [(step: StepPlan, request: RequestPlan, paths: [String])] = []
        for path in earlier.openUnsure {
            guard let step = index.step(at: path), case .request(let request) = step.work, !request.isIdempotent(),
                !step.isTolerated
            else { continue }
            // A step that executes the graph of this one may tolerate its failure.
            let outer = path.indices.filter { path[$0] == "." }.map { String(path[..<$0]) }
            guard !outer.contains(where: { index.step(at: $0)?.isTolerated ?? false }) else { continue }
            if let known = requests.firstIndex(where: { $0.step.path == step.path }) {
                requests[known].paths.append(path)
            } else {
                requests.append((step, request, [path]))
            }
        }
        return requests.map { .unsureRequests($0.paths, $0.request, at: $0.step.span) }
    }

    /// The services whose session has to be fetched before a request is sent, because of its cookies.
    func servicesWithCookies(for request: RequestPlan) -> [String] {
        guard !cookieServices.isEmpty, request.usesOwnJar else { return [] }
        let host = request.knownHost
        return cookieServices.filter { $0.value.contains { CookieDomain.isSent($0, to: host) } }.keys.sorted()
    }

    /// The steps that keep their results.
    func earlierSteps(of earlier: EarlierSteps, repeatsUnsure: Bool) -> EarlierSteps {
        var earlier = earlier
        if repeatsUnsure { earlier.forgetUnsure() }
        restartedSteps.forEach { earlier.restart($0) }
        earlier.forget(steps: repeatedSteps)
        for (path, elements) in repeatedElements { earlier.forget(elements: elements, of: path) }
        return earlier
    }
}

extension ForEach.Elements {
    /// Whether the list may have other elements in a resumed run: unless it is written element by element, and those are
    /// constants, inputs, data and secrets of the manifest.
    fileprivate var mayChange: Bool {
        guard case .list(let elements) = self else { return true }
        let lasting: Set<Reference.Root?> = [.secrets, .inputs, .data, .manifest]
        return elements.contains { $0.templates.contains { $0.references.contains { !lasting.contains($0.root) } } }
    }
}

extension Diagnostic {
    private static let advice =
        "--repeat-unsure sends it again, which may do its work twice. Alternatively, start a new run."
    private static let programAdvice =
        "With 'repeatsUnsure: true', the run sends it again, which may do its work twice. Alternatively, start a new run."

    private static let sessionAdvice =
        "If the step is a login, write it as the 'session' of its service: a session is fetched again."

    /// A step passed, and would have to be sent again.
    fileprivate static func unsafeRepeat(_ node: ResumeNode, _ need: ResumeNeeds.Repeat) -> Diagnostic {
        let elements = need.elements.isEmpty ? "" : " (\(need.elements.count) of its elements)"
        return Diagnostic(
            "unsafe-repeat",
            "step '\(node.path)'\(elements) passed and must not be sent again, but the journal does not contain \(need.what)",
            at: node.step.span,
            secondary: [.init(need.span, "needs \(need.what)")],
            help: [advice, sessionAdvice],
            programHelp: [programAdvice, sessionAdvice]
        )
    }

    /// Requests of a step were in flight when the run ended.
    fileprivate static func unsureRequests(_ paths: [String], _ request: RequestPlan, at span: SourceSpan) -> Diagnostic
    {
        let paths = paths.sorted { $0.utf8.count == $1.utf8.count ? $0 < $1 : $0.utf8.count < $1.utf8.count }
        let method = request.constantMethod ?? "request"
        let steps =
            paths.count == 1
            ? "the \(method) of step '\(paths[0])'" : "the \(method) of \(paths.count) elements, from '\(paths[0])',"
        let more = paths.count > 20 ? ", and \(paths.count - 20) more" : ""
        let list = paths.count == 1 ? [] : ["The elements: \(paths.prefix(20).joined(separator: ", "))\(more)."]
        return Diagnostic(
            "unsafe-repeat",
            "\(steps) may have been sent before the run ended, and its response is not recorded",
            at: span,
            help: list + [advice],
            programHelp: list + [programAdvice]
        )
    }

    /// All elements of a step would run again, and some passed: an element failed, its failure was tolerated, and its records
    /// cannot be added to the file of its step; or the list is secret.
    fileprivate static func unsafeRestart(_ node: ResumeNode, ofSecretList isSecret: Bool) -> Diagnostic {
        let reason =
            isSecret
            ? "elements of step '\(node.path)' passed and must not be sent again, but its list is secret, so the journal "
                + "cannot show which elements they were"
            : "elements of step '\(node.path)' failed, and cannot be repeated alone: the file of 'write' already has the "
                + "records of later elements, and the elements that passed must not be sent again"
        let alternative = " Alternatively, start a new run."
        return Diagnostic(
            "unsafe-repeat",
            reason,
            at: node.step.span,
            help: [
                "--repeat-unsure sends the requests of all elements again, which may do their work twice."
                    + (isSecret ? alternative : " 'waybill resume' without --failed keeps the step as it is.")
            ],
            programHelp: [
                "With 'repeatsUnsure: true', the requests of all elements are sent again, which may do their work twice."
                    + (isSecret ? alternative : " Without 'repeatsTolerated', the step stays as it is.")
            ]
        )
    }

    /// A step was requesting pages, and would have to start with the first one.
    fileprivate static func unsafePages(_ node: ResumeNode) -> Diagnostic {
        Diagnostic(
            "unsafe-repeat",
            "step '\(node.path)' received pages and must not request them again, but the journal does not contain what the next "
                + "page needs",
            at: node.step.span,
            help: [advice],
            programHelp: [programAdvice]
        )
    }
}
