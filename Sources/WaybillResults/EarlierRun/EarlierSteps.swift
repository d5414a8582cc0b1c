/// A step that had finished before a run was resumed.
package struct EarlierStep: Sendable {
    /// The result that is reported.
    package var result: StepResult
    /// The step's record for later steps, as far as it was kept.
    package var record: RedactedJSON?
    /// The parts of the record that the journal does not contain.
    package var losses: EarlierLosses
    /// The domains for which the step's elements set cookies, if the step is a `forEach`.
    package var elementCookies: Set<String> = []
    /// What a resumed run does with the step: a tolerated failure may be of a request that the server may have
    /// received.
    package var use = RunEvent.KeptRecord.Use.taken
}

/// The parts of a step or an element that the journal does not contain.
package struct EarlierLosses: Sendable, Equatable {
    /// The values that expressions can use, such as `outputs.token` or `data`; see `RunEvent.KeptRecord.lost`.
    package var values: Set<String>
    /// The domains for which the step or element set cookies in a jar.
    package var cookies: Set<String> = []
}

extension EarlierLosses {
    /// The losses that a journal reports.
    init(_ kept: RunEvent.KeptRecord?) {
        values = Set(kept?.lost ?? [])
        cookies = Set((kept?.cookies ?? []).map(\.string))
    }
}

/// The elements of a `forEach` that had finished before a run was resumed.
package struct EarlierElements: Sendable {
    /// A finished element.
    package struct Element: Sendable {
        /// A digest of the element.
        package var digest: String?
        /// How the element finished.
        package var outcome: StepOutcome
        /// The element's record for later steps, as far as it was kept.
        package var record: RedactedJSON?
        /// The parts of the record that the journal does not contain.
        package var losses: EarlierLosses
        /// Why the element failed, and its name; `nil` for one without a name that passed. A reference, because there may be
        /// millions of elements.
        package var described: Description?
        /// What a resumed run does with the element: a tolerated failure may be of a request that the server may
        /// have received.
        package var use = RunEvent.KeptRecord.Use.taken
    }

    /// Why an element failed, and its name.
    package final class Description: Sendable {
        /// The failure, if the element failed and the journal has a complete one.
        package let failure: Failure?
        /// A description of the element.
        package let subject: ElementSubject

        init(_ end: RunEvent.ElementEnd) {
            failure = end.failure
            subject = end.subject
        }
    }

    /// The elements by index.
    package fileprivate(set) var elements: [Int: Element] = [:]
}

/// The results of a run's steps before it was resumed, by the paths of their instances.
package struct EarlierSteps: Sendable {
    private var steps: [String: EarlierStep] = [:]
    private var elements: [String: EarlierElements] = [:]
    private var unsure: Set<String> = []
    /// The steps and elements with tolerated failures.
    private var tolerated: Set<String> = []
    /// The number of tolerated failures inside each step and element that has any.
    private var toleratedInside: [String: Int] = [:]
    /// The paths inside each element, which are forgotten when the whole element has finished.
    private var inside: [String: Set<String>] = [:]
    /// The paths of the graphs whose `finally` has started and that have not passed.
    private var finishing: Set<String> = []
    /// The domains for which the sessions set cookies, by service.
    package private(set) var sessionCookies: [String: Set<String>] = [:]
    /// The progress of the files that steps write, and of the pages that they request.
    private var outputs: [String: EarlierOutput] = [:]
    private var pages: [String: EarlierPages] = [:]
    /// How many rounds of `until` have finished.
    private var rounds: [String: Int] = [:]
    /// The steps whose requests had finished when several files were about to be moved to their paths.
    private var commits: [String: RunEvent.WrittenFile.Commit] = [:]
    /// The groups of steps that passed, or whose failure was tolerated, by path.
    private var groups: [String: StepResult] = [:]
    /// The `forEach` steps that run again with all elements: an element with a tolerated failure runs again, and the file
    /// of their records can no longer take its records.
    package private(set) var restarted: Set<String> = []
    /// The files that were moved to their paths, by the path of the step that wrote or downloaded them.
    private var files: [String: [RunFiles.File]] = [:]

    /// Creates an empty record.
    package init() {}

    /// Creates the record that a run will have in which steps have passed.
    ///
    /// - Parameter steps: The steps by path, each with the names of the outputs that the journal will not contain.
    package init(passed steps: [String: [String]]) {
        for (path, outputs) in steps {
            self.steps[path] = EarlierStep(
                result: StepResult(id: path, path: path, graph: "", outcome: .passed),
                losses: EarlierLosses(values: Set(outputs.map { "outputs.\($0)" }))
            )
        }
    }

    /// Returns the step at a path if it had finished and its result is kept.
    package func step(at path: String) -> EarlierStep? { isVoid(path) ? nil : steps[path] }

    /// Returns how many rounds of the `until` of a step had finished.
    package func rounds(of path: String) -> Int { rounds[path] ?? 0 }

    /// Returns the result of the group of steps at a path if it had finished.
    package func group(at path: String) -> StepResult? { isVoid(path) ? nil : groups[path] }

    /// The paths of the groups of steps that had finished.
    package var groupPaths: [String] { groups.keys.filter { !isVoid($0) } }

    /// Returns the elements of the step at a path whose results are kept.
    package func elements(of path: String) -> EarlierElements? { isVoid(path) ? nil : elements[path] }

    /// Returns where the file that the step at a path writes is continued; `nil` if it is written from the start.
    package func output(of path: String) -> RecordFileWriter.Resumption? {
        // Without a next page, the first page is requested again, and the file starts with it.
        if isVoid(path) || pages[path] != nil && pages[path]?.next == nil { return nil }
        return outputs[path]?.resumption
    }

    /// Returns what remains of the step at a path: its request has finished, and its files may not all be at their paths.
    package func pendingCommit(of path: String) -> RunEvent.WrittenFile.Commit? {
        step(at: path) == nil ? nil : commits[path]
    }

    /// Whether the files that the elements of the step at a path write are complete and at their paths.
    package func hasCommitted(_ path: String) -> Bool {
        !isVoid(path) && elements[path] != nil && outputs[path]?.isCommitted ?? false
    }

    /// Returns the files that the elements of the step at a path have written, if they were complete.
    package func written(_ path: String) -> [RunEvent.WrittenFile]? {
        guard !isVoid(path), elements[path] != nil, let files = outputs[path]?.written else { return nil }
        return files.isEmpty ? nil : files
    }

    /// The files that were moved to their paths and that no step writes or downloads again.
    package var finishedFiles: [(step: String, file: RunFiles.File)] {
        files.filter { hasEnded($0.key) || hasCommitted($0.key) }.sorted { $0.key < $1.key }
            .flatMap { step, files in files.map { (step, $0) } }
    }

    /// Whether the result of a step, or of an element that contains it, is kept.
    private func hasEnded(_ path: String) -> Bool {
        if isVoid(path) { return false }
        if steps[path] != nil { return true }
        return path.indices.contains { end in
            guard path[end] == "]", let element = Self.element(at: path[...end]) else { return false }
            return steps[element.step] != nil || elements[element.step]?.elements[element.index] != nil
        }
    }

    /// Returns the files of the step at a path, if they were complete and about to be moved to their paths: they may
    /// already be there.
    package func completedFiles(of path: String) -> [RunEvent.WrittenFile] {
        isVoid(path) || elements[path] == nil && commits[path] == nil ? [] : outputs[path]?.completed ?? []
    }

    /// Returns the pages that the step at a path has received.
    package func pages(of path: String) -> EarlierPages? { isVoid(path) ? nil : pages[path] }

    /// Whether a request may have reached the server without a recorded response.
    package func isUnsure(_ path: String) -> Bool { unsure.contains(path) }

    /// The requests that may have reached the server without a recorded response, if neither their result nor that of
    /// an enclosing step is kept: a resumed run would send them again.
    package var openUnsure: [String] {
        unsure.filter { path in
            !hasEnded(path) && !path.indices.contains { path[$0] == "." && steps[String(path[..<$0])] != nil }
        }.sorted()
    }

    /// The paths of all steps of which results, elements or pages are kept.
    package var paths: [String] {
        // Without a next page, the first page is requested again, and none is kept.
        let paginated = pages.filter { $0.value.next != nil }.map(\.key)
        return Set(Array(steps.keys) + Array(elements.keys) + paginated).filter { !isVoid($0) }.sorted()
    }

    /// The paths of the graphs that have not passed although their `finally` has started.
    package var graphsInFinally: [String] { finishing.sorted() }

    /// Returns the indices of the unfinished elements of the step at a path for which something is recorded.
    package func openElements(of path: String) -> [Int] {
        let started = [Array(inside.keys), Array(pages.keys)].joined().compactMap {
            Self.element(at: $0).flatMap { $0.step == path ? $0.index : nil }
        }
        return Set(started).filter { elements[path]?.elements[$0] == nil }.sorted()
    }

    /// The requests that may have reached the server without a recorded response and are not sent again because their
    /// failure is tolerated, and whether they can be repeated.
    package var keptUnsure: [(path: String, isRepeatable: Bool)] {
        unsure.compactMap { path in
            guard !isVoid(path) else { return nil }
            if let step = steps[path] { return step.use == .unsure ? (path, true) : nil }
            guard let (step, index) = Self.element(at: path), elements[step]?.elements[index]?.use == .unsure else {
                return nil
            }
            return (path, hasPosition(for: index, of: step))
        }.sorted { $0.path < $1.path }
    }

    /// Forgets the results of requests that may have reached the server without a recorded response, so that they run
    /// again. An element keeps its result if the file of its step can no longer take its records.
    package mutating func forgetUnsure() {
        for (path, step) in steps where step.use != .taken { steps[path] = nil }
        for (path, all) in elements {
            for (index, element) in all.elements where element.use != .taken && hasPosition(for: index, of: path) {
                forget("\(path)[\(index)]")
            }
        }
    }

    /// Whether the records of an element can still be added to the file that its step writes, if it writes one.
    private func hasPosition(for element: Int, of step: String) -> Bool {
        guard let output = outputs[step] else { return true }
        return !output.isCommitted && element >= output.resumption.element
    }

    /// Forgets the steps and elements with tolerated failures, so that they run again and the steps that contain them
    /// continue. If the file of a `forEach` can no longer take the records of such an element, all of its elements run
    /// again. Requests that may have reached the server without a recorded response keep their results.
    package mutating func forgetTolerated() {
        for path in tolerated {
            if let (step, index) = Self.element(at: path) {
                if elements[step]?.elements[index]?.use == .unsure { continue }
                if !hasPosition(for: index, of: step) { restart(step) }
            } else if steps[path]?.use == .unsure {
                continue
            }
            for end in path.utf8.indices.dropFirst()
            where [UInt8(ascii: "."), UInt8(ascii: "[")].contains(path.utf8[end]) {
                forget(String(path[..<end]))
            }
            forget(path)
            // The graph runs its 'finally' again.
            let graph = String(path.prefix { $0 != "." })
            if steps.keys.contains(where: { $0.hasPrefix("\(graph).finally.") }) { finishing.insert(graph) }
        }
    }

    private mutating func forget(_ path: String) {
        steps[path] = nil
        guard let (step, index) = Self.element(at: path) else { return }
        elements[step]?.elements[index] = nil
        outputs[step]?.forget(index)
    }

    /// The `forEach` steps with finished elements that cannot be compared with those of the list, because they are secret.
    package var pathsOfSecretElements: [String] {
        elements.keys.filter { path in
            steps[path] == nil && !isVoid(path) && elements[path]!.elements.values.contains { $0.digest == nil }
        }.sorted()
    }

    /// Forgets all elements of a `forEach` and its file, so that all of them run again.
    package mutating func restart(_ path: String) {
        restarted.insert(path)
        elements[path] = nil
        outputs[path] = nil
        forgetInside { !$0.utf8.starts(with: path.utf8 + [UInt8(ascii: "[")]) }
    }

    private mutating func note(tolerated isTolerated: Bool, _ path: String) {
        let hasChanged = isTolerated ? tolerated.insert(path).inserted : tolerated.remove(path) != nil
        guard hasChanged else { return }
        let utf8 = path.utf8
        for index in utf8.indices where utf8[index] == UInt8(ascii: ".") || utf8[index] == UInt8(ascii: "[") {
            toleratedInside[String(path[..<index]), default: 0] += isTolerated ? 1 : -1
        }
    }

    /// Whether a step or element inside another one has a tolerated failure.
    private func hasToleratedFailure(inside path: String) -> Bool {
        toleratedInside[path, default: 0] > 0
    }

    /// Returns the step and the index of an element such as `main.items[3]`; `nil` for the path of a step.
    private static func element(at path: some StringProtocol) -> (step: String, index: Int)? {
        guard path.hasSuffix("]"), let start = path.lastIndex(of: "["),
            let index = Int(path[path.index(after: start)...].dropLast())
        else { return nil }
        return (String(path[..<start]), index)
    }

    /// Forgets steps, so that they run again.
    package mutating func forget(steps paths: Set<String>) {
        for path in paths { steps[path] = nil }
    }

    /// Forgets elements of the step at a path, so that they run again.
    package mutating func forget(elements numbers: Set<Int>, of path: String) {
        for number in numbers { elements[path]?.elements[number] = nil }
    }

    /// Whether a step belongs to a `finally` that runs again, because its graph has not passed.
    private func isVoid(_ path: String) -> Bool {
        finishing.contains { path.hasPrefix($0 + ".finally.") }
    }

    /// Reads an event of the journal.
    mutating func take(_ event: RunEvent) {
        switch event.kind {
        case .graphFinishing(let graph): finishing.insert(event.step ?? graph)
        case .graphFinished(let graph, .passed): finishing.remove(event.step ?? graph)
        default: if let path = event.step { take(event.kind, of: path) }
        }
    }

    private mutating func take(_ kind: RunEvent.Kind, of path: String) {
        switch kind {
        case .requestWillSend: unsure.insert(path)
        case .requestRetrying: unsure.remove(path)
        case .pageFinished(let page):
            unsure.remove(path)
            pages[path, default: EarlierPages()].take(page)
            if let records = page.records {
                let element = Self.element(at: path)
                outputs[element?.step ?? path, default: EarlierOutput()]
                    .take(records, ofPage: page.number, of: element?.index)
            }
        case .pollFinished:
            forgetRound(path)
            rounds[path, default: 0] += 1
        case .writeCut(let file): cut(path, to: file.rest)
        case .writeCommitting(let file):
            outputs[path, default: EarlierOutput()].take(announced: file)
            guard let commit = file.commit, let result = commit.result else { break }
            let output = outputs[path]
            finish(path, result, commit.kept)
            (outputs[path], commits[path]) = (output, commit)
        case .writeCommitted(let file):
            outputs[path, default: EarlierOutput()].take(committed: file)
            if file.position?.number ?? 1 == 1 { files[path] = [] }
            files[path, default: []].append(.written(file))
        case .downloadCommitted(let file): files[path] = [.downloaded(file)]
        case .stepFinished(let result, let kept):
            // Several files of which some may be at their paths remain to be moved there.
            if outputs[path]?.isPartlyCommitted ?? false { break }
            finish(path, result, kept)
        case .elementFinished(let end): finish(path, end)
        default: break
        }
    }

    /// Forgets what is inside a step that `until` executes again: only the last round is continued.
    private mutating func forgetRound(_ path: String) {
        let isOutside = { (other: String) in !other.utf8.starts(with: path.utf8 + [UInt8(ascii: ".")]) }
        forgetInside(isOutside)
        finishing = finishing.filter { $0 != path && isOutside($0) }
        for other in tolerated where !isOutside(other) { note(tolerated: false, other) }
    }

    /// Forgets the results of the steps that are not outside of something.
    private mutating func forgetInside(_ isOutside: (String) -> Bool) {
        steps = steps.filter { isOutside($0.key) }
        groups = groups.filter { isOutside($0.key) }
        elements = elements.filter { isOutside($0.key) }
        outputs = outputs.filter { isOutside($0.key) }
        pages = pages.filter { isOutside($0.key) }
        rounds = rounds.filter { isOutside($0.key) }
        commits = commits.filter { isOutside($0.key) }
        unsure = unsure.filter(isOutside)
    }

    /// Records that the end of the file of a step was lost when the run was resumed.
    private mutating func cut(_ path: String, to rest: RecordFileWriter.Resumption.Mark) {
        guard let lost = outputs[path]?.goBack(to: rest) else { return }
        for element in elements[path]?.elements.keys.filter(lost.contains) ?? [] {
            elements[path]?.elements[element] = nil
        }
        pages[path]?.goBack(to: rest.count)
    }

    private mutating func finish(_ path: String, _ result: StepResult, _ kept: RunEvent.KeptRecord?) {
        if result.graph.isEmpty { return finishSession(path, kept) }
        let isKept = [.passed, .tolerated].contains(result.outcome)
        if result.group != nil {
            // The steps in a group are recorded by themselves.
            guard isKept else { return }
            groups[path] = result
            return remember(path)
        }
        guard let use = note(kept, of: path), isKept else { return }
        commits[path] = nil
        steps[path] = EarlierStep(
            result: result,
            record: kept?.record,
            losses: EarlierLosses(kept),
            elementCookies: (elements[path]?.elements.values).map(Self.cookies) ?? [],
            use: use
        )
        remember(path)
        note(tolerated: result.outcome == .tolerated, path)
        // If a request inside may be sent again, the rest is not, so what is recorded of the rest is kept.
        guard use != .partly, !hasToleratedFailure(inside: path) else { return }
        elements[path] = nil
        outputs[path] = nil
        pages[path] = nil
    }

    private mutating func finish(_ path: String, _ end: RunEvent.ElementEnd) {
        let elementPath = "\(path)[\(end.index)]"
        guard let use = note(end.kept, of: elementPath), [.passed, .tolerated].contains(end.outcome) else { return }
        pages[elementPath] = nil
        if let records = end.records { outputs[path, default: EarlierOutput()].take(records, of: end.index) }
        if elements[path] == nil { remember(path) }
        elements[path, default: EarlierElements()].elements[end.index] = EarlierElements.Element(
            digest: end.kept?.element,
            outcome: end.outcome,
            record: end.kept?.record,
            losses: EarlierLosses(end.kept),
            described: end.outcome == .passed && end.subject.name == nil ? nil : EarlierElements.Description(end),
            use: use
        )
        note(tolerated: end.outcome == .tolerated, elementPath)
        // If a request inside may be sent again, the rest is not, so what is recorded of the rest is kept.
        guard use != .partly, !hasToleratedFailure(inside: elementPath) else { return }
        var cookies: Set<String> = []
        for path in inside.removeValue(forKey: elementPath) ?? [] {
            if let step = steps[path] { cookies.formUnion(step.losses.cookies.union(step.elementCookies)) }
            steps[path] = nil
            groups[path] = nil
            elements[path] = nil
            outputs[path] = nil
            pages[path] = nil
            commits[path] = nil
            unsure.remove(path)
        }
        elements[path]?.elements[end.index]?.losses.cookies.formUnion(cookies)
    }

    /// Handles the end of a session, which is fetched again: no results are kept, and no requests in it are unsure.
    private mutating func finishSession(_ path: String, _ kept: RunEvent.KeptRecord?) {
        unsure.remove(path)
        let cookies = EarlierLosses(kept).cookies
        if !cookies.isEmpty { sessionCookies[String(path.dropFirst("session.".count)), default: []].formUnion(cookies) }
    }

    private static func cookies(of elements: some Sequence<EarlierElements.Element>) -> Set<String> {
        elements.reduce(into: []) { $0.formUnion($1.losses.cookies) }
    }

    /// Records whether the outcome of a request is known, and returns what a resumed run does with the step or element.
    private mutating func note(_ kept: RunEvent.KeptRecord?, of path: String) -> RunEvent.KeptRecord.Use? {
        if kept?.use == .unsure {
            unsure.insert(path)
        } else {
            unsure.remove(path)
        }
        return kept?.use
    }

    /// Adds a path to each element that contains it.
    private mutating func remember(_ path: String) {
        var start = path.utf8.startIndex
        while let end = path.utf8[start...].firstIndex(of: UInt8(ascii: "]")) {
            let next = path.utf8.index(after: end)
            if next != path.utf8.endIndex { inside[String(path[..<next]), default: []].insert(path) }
            start = next
        }
    }
}
