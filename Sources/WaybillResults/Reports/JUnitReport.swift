import WaybillDiagnostics
import WaybillFormats

/// JUnit XML, as Jenkins and GitLab read it (the schema `junit-10.xsd` of Jenkins' xUnit plugin): a test suite for each
/// run, and a test case for each step.
///
/// Of a `forEach`, the elements with names and those that failed are test cases instead of the step, which is one only for
/// what they do not show: other elements, or a failure of its own.
package enum JUnitReport: RunReport {
    package static let name = "junit"

    package static func write(_ runs: [ReportedRun], to stream: inout ReportStream) {
        let suites = runs.map(Suite.init)
        let total = runs.reduce(Duration.zero) { $0 + $1.result.time }
        stream.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        let numbers = numbers(of: suites.flatMap(\.cases))
        stream.write(
            tag("testsuites", [("name", "waybill"), ("time", total.secondsText)] + numbers.dropLast()) + ">\n"
        )
        for suite in suites { suite.write(to: &stream) }
        stream.write("</testsuites>\n")
    }

    // The schema has no number of skipped cases for all suites together, so that number comes last.
    fileprivate static func numbers(of cases: [Case]) -> [(String, String)] {
        func count(_ element: String) -> String { String(cases.count { $0.result?.element == element }) }
        return [
            ("tests", String(cases.count)), ("failures", count("failure")), ("errors", count("error")),
            ("skipped", count("skipped")),
        ]
    }

    /// The test cases of a run.
    fileprivate struct Suite {
        let run: RunResult
        let cases: [Case]
        let warnings: [String]

        init(_ reported: ReportedRun) {
            run = reported.result
            warnings = ReportedWarnings(of: reported).allLines
            // A run that was stopped has not failed, but it must not count as passed either.
            let ofSteps = run.steps.filter(\.isCounted).flatMap { step -> [Case] in
                Case.cases(of: step)
            }
            cases = ofSteps + (reported.wasInterrupted ? [Case.interrupted] : [])
        }

        func write(to stream: inout ReportStream) {
            // Some readers do not accept a time zone.
            let moment = run.startedAt.description.prefix(19)
            let attributes = [
                ("name", run.manifest), ("time", run.time.secondsText), ("timestamp", String(moment)),
            ]
            stream.write("  " + JUnitReport.tag("testsuite", attributes + JUnitReport.numbers(of: cases)) + ">\n")
            var properties = [("run", run.id.description), ("outcome", run.outcome.rawValue)]
            if let environment = run.environment { properties.append(("environment", environment)) }
            if let part = run.part { properties.append(("part", part)) }
            if run.isMocked { properties.append(("mock", "true")) }
            stream.write("    <properties>\n")
            for (name, value) in properties {
                stream.write("      " + JUnitReport.tag("property", [("name", name), ("value", value)]) + "/>\n")
            }
            stream.write("    </properties>\n")
            let package = Self.package(of: run.manifest)
            for testCase in cases { stream.write(testCase.xml(classPrefix: package)) }
            if !warnings.isEmpty {
                let text = warnings.map { "warning: \($0)" }.joined(separator: "\n")
                stream.write("    <system-err>\(XMLText.content(text))</system-err>\n")
            }
            stream.write("  </testsuite>\n")
        }

        /// Returns the package of a manifest's test cases: `orders.smoke` for `orders/smoke.yaml`. Readers identify a
        /// test case by its class and its name, and take the part of the class before its last dot as the package.
        private static func package(of manifest: String) -> String {
            var segments = manifest.split(separator: "/").filter { $0 != "." && $0 != ".." }
            if let last = segments.last, let dot = last.lastIndex(of: "."), dot > last.startIndex {
                segments[segments.count - 1] = last[..<dot]
            }
            let names = segments.map { $0.map { $0 == "." ? "_" : String($0) }.joined() }
            return names.isEmpty ? "run" : names.joined(separator: ".")
        }
    }

    /// A test case: a step, or an element with a name or a failure.
    fileprivate struct Case {
        /// The reason why a case did not pass: an element `failure`, `error` or `skipped`.
        struct Result {
            var element: String
            var message: String
            var type: String?
            var text = ""
        }

        let name: String
        let graph: String
        let time: Duration?
        let result: Result?
        let output: [String]

        /// The case for a run that was stopped.
        static let interrupted = Case(
            name: "the run was interrupted",
            graph: "run",
            time: nil,
            result: Result(element: "error", message: "the run was interrupted"),
            output: []
        )

        func xml(classPrefix: String) -> String {
            let attributes = [
                ("name", name), ("classname", "\(classPrefix).\(graph)"), ("time", (time ?? .zero).secondsText),
            ]
            var xml = "    " + JUnitReport.tag("testcase", attributes)
            guard result != nil || !output.isEmpty else {
                return xml + "/>\n"
            }
            xml += ">\n"
            if let result {
                var attributes = [("message", result.message)]
                if let type = result.type { attributes.append(("type", type)) }
                xml += "      " + JUnitReport.tag(result.element, attributes)
                xml += result.text.isEmpty ? "/>\n" : ">\(XMLText.content(result.text))</\(result.element)>\n"
            }
            if !output.isEmpty {
                xml += "      <system-out>\(XMLText.content(output.joined(separator: "\n")))</system-out>\n"
            }
            return xml + "    </testcase>\n"
        }
    }

    /// Returns the start of an element's tag.
    fileprivate static func tag(_ name: String, _ attributes: [(String, String)]) -> String {
        "<\(name)" + attributes.map { " \($0.0)=\"\(XMLText.value($0.1))\"" }.joined()
    }
}

extension JUnitReport.Case {
    private init(_ step: StepResult, _ outcome: StepOutcome) {
        name = step.title
        graph = step.graph
        time = step.time?.total
        result =
            switch outcome {
            case .passed, .tolerated: nil
            case .skipped where step.outcome != .skipped:
                Result(element: "skipped", message: "not all elements were started")
            case .skipped: Result(element: "skipped", message: "the step was not started")
            case .cancelled: Result(element: "skipped", message: "the step was cancelled")
            case .failed: step.failure.map(Result.init) ?? Result(element: "failure", message: "the step failed")
            }
        var output: [String] = []
        if let request = step.request { output.append(request + (step.status.map { ": \($0)" } ?? "")) }
        if let repetition = step.repetitionText { output.append(repetition) }
        if let elements = step.elements { output.append("elements: \(elements.summary)") }
        if step.outcome == .tolerated, let failure = step.failure {
            output.append("a failure was tolerated: \(failure.message)")
        }
        self.output = output
    }

    /// The case of a step, unless its elements represent it, and those of the elements that have names or failed.
    fileprivate static func cases(of step: StepResult) -> [Self] {
        guard let elements = step.elements else { return [Self(step, step.outcome)] }
        let own = step.ownOutcome(failuresAreCases: true)
        let failures = Dictionary(elements.failures.map { ($0.index, $0) }) { first, _ in first }
        let named = Set(elements.cases.map(\.index))
        return (own.map { [Self(step, $0)] } ?? [])
            + elements.cases.map { element in
                failures[element.index].map { Self($0, of: step) } ?? Self(element, of: step)
            } + elements.failures.filter { !named.contains($0.index) }.map { Self($0, of: step) }
    }

    /// An element with a name whose failure, if it has one, is not kept.
    private init(_ element: ElementResults.ElementCase, of step: StepResult) {
        name = step.title(ofElement: element.index, element.name)
        graph = step.graph
        time = element.time
        result =
            switch element.outcome {
            case .passed, .tolerated: nil
            case .skipped, .cancelled: Result(element: "skipped", message: "the element was not finished")
            case .failed: Result(element: "failure", message: "the element failed")
            }
        output = element.outcome == .tolerated ? ["a failure was tolerated"] : []
    }

    private init(_ element: ElementResults.ElementFailure, of step: StepResult) {
        name = step.title(ofElement: element.index, element.subject.name)
        graph = step.graph
        time = element.subject.time
        result = step.outcome == .tolerated ? nil : Result(element.failure)
        output =
            [element.subject.value, element.subject.url].compactMap { $0?.string }
            + (step.outcome == .tolerated ? ["a failure was tolerated: \(element.failure.message)"] : [])
    }
}

extension JUnitReport.Case.Result {
    /// A failed expectation is a `failure`; an error that prevented a response is an `error`.
    fileprivate init(_ failure: Failure) {
        let isError =
            switch failure.kind {
            case .input, .dns, .connect, .tls, .timeout, .transfer, .unreachable, .duplicate, .cancelled: true
            case .status, .contentType, .decode, .filter, .output, .expect, .contract, .download: false
            }
        self.init(
            element: isError ? "error" : "failure",
            message: failure.message.description,
            type: failure.kind.rawValue,
            text: failure.text(HumanRenderer())
        )
    }
}

/// Text in XML 1.0. Characters that would control a terminal or reorder the text become U+FFFD.
enum XMLText {
    /// Escapes a string for the content of an element. Characters that are invalid in XML become U+FFFD.
    static func content(_ text: String) -> String { escaped(text, keeping: ["\n", "\t"]) }

    /// Escapes a string for an attribute value in double quotes, where a line break would be read as a space.
    static func value(_ text: String) -> String { escaped(text, keeping: []) }

    private static func escaped(_ text: String, keeping kept: Set<Unicode.Scalar>) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case _ where kept.contains(scalar): escaped.unicodeScalars.append(scalar)
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\n": escaped += "&#10;"
            case "\r": escaped += "&#13;"
            case "\t": escaped += "&#9;"
            case _ where PrintableText.steers(scalar) || (0xFFFE...0xFFFF).contains(scalar.value):
                escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
