import CReports
import WaybillDiagnostics
import WaybillJSON
import WaybillRuntime

/// An HTML page that needs no network: the failures, with their requests and responses, and all steps as a tree with a
/// waterfall of their phases.
///
/// The failures are markup, and visible without JavaScript. The steps are data, from which `report.js` creates rows
/// when they are scrolled into view. The style and script are `report.css` and `report.js` in this folder.
package enum HTMLReport: RunReport {
    package static let name = "html"

    /// The maximum number of failures shown; further ones are only in the list of steps.
    private static let shownFailures = 500

    package static func write(_ runs: [ReportedRun], to stream: inout ReportStream) throws(ResultsError) {
        stream.write(head(of: runs.map(\.result)).markup)
        stream.write(bytes(of: report_style()))
        stream.write(header(of: runs.map(\.result)).markup)
        let numbers = try writeFailures(of: runs, to: &stream)
        stream.write(warnings(of: runs).markup)
        stream.write(table(of: runs.map(\.result)).markup)
        stream.write(coverage(of: ContractCoverage.combined(runs.map(\.result.coverage))).markup)
        stream.write(steps(isEmpty: runs.allSatisfy(\.result.steps.isEmpty)).markup)
        for (run, numbers) in zip(runs, numbers) { try writeData(of: run, numbers, to: &stream) }
        stream.write("<script>\n")
        stream.write(bytes(of: report_script()))
        stream.write("</script>\n</body>\n</html>\n")
    }

    private static func bytes(of file: report_file) -> [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.size))
    }

    // MARK: Failures

    /// Writes the failures. Returns for each run the numbers of its failures on the page, by the index of the step.
    private static func writeFailures(
        of runs: [ReportedRun],
        to stream: inout ReportStream
    ) throws(ResultsError) -> [[Int: Int]] {
        var numbers: [[Int: Int]] = []
        var (count, shown) = (0, 0)
        for (runIndex, run) in runs.enumerated() {
            var shownSteps: [Int] = []
            for (index, step) in run.result.steps.enumerated() where step.hasFailed {
                if count == 0 { stream.write(failuresStart.markup) }
                count += 1
                if shown + shownSteps.count < shownFailures { shownSteps.append(index) }
            }
            let steps = shownSteps.map { run.result.steps[$0] }
            let exchanges = try FailedExchanges(of: steps, in: run)
            let haveElements = steps.contains { $0.elements != nil }
            let bodies = haveElements ? run.folder.map { KeptBodies(folder: $0) } : nil
            for step in steps {
                shown += 1
                let failure = HTMLFailure(
                    step: step,
                    number: shown,
                    run: run,
                    runNumber: runs.count > 1 ? runIndex + 1 : nil,
                    exchanges: exchanges,
                    bodies: bodies,
                    pageFolder: stream.folder
                )
                stream.write(failure.markup.markup)
            }
            let first = shown - steps.count + 1
            numbers.append(Dictionary(uniqueKeysWithValues: shownSteps.enumerated().map { ($1, first + $0) }))
        }
        guard count > 0 else { return numbers }
        if count > shown {
            let rest: HTML = "<p>\(count - shown) more failed. They are in <a href=\"#steps\">the steps</a>.</p>\n"
            stream.write(rest.markup)
        }
        stream.write("</section>\n")
        return numbers
    }

    // MARK: Data

    /// The maximum size of the bodies of a run in the list of steps, in bytes.
    private static let shownBodies = 16 << 20

    /// Returns the starts of the bodies of each step's last exchange, if bodies were kept or reported.
    private static func bodies(
        of run: ReportedRun
    ) throws(ResultsError) -> [String: (request: String?, response: String?)] {
        var bodies: [String: (request: String?, response: String?)] = [:]
        var size = 0
        try run.exchanges { exchange in
            guard !exchange.step.contains("["), exchange.body != nil || exchange.response?.body != nil else { return }
            func start(ofRequest: Bool) -> String? {
                guard let body = run.body(of: exchange, ofRequest: ofRequest, limit: BodyExcerpt.maximumBytes),
                    !body.bytes.contains(0)
                else { return nil }
                return String(decoding: body.bytes, as: UTF8.self) + (body.isCut ? "…" : "")
            }
            let both = (request: start(ofRequest: true), response: start(ofRequest: false))
            size += (both.request?.utf8.count ?? 0) + (both.response?.utf8.count ?? 0)
            if size <= shownBodies { bodies[exchange.step] = both }
        }
        return bodies
    }

    /// Writes a run as data for the script: its `run.json`, with the number of each failure on the page, and bodies.
    private static func writeData(
        of reported: ReportedRun,
        _ numbers: [Int: Int],
        to stream: inout ReportStream
    ) throws(ResultsError) {
        let (run, bodies, sessions) = (reported.result, try bodies(of: reported), try reported.sessions())
        let files = Dictionary(grouping: RunFiles(folder: reported.folder).files) { CodePoints($0.step) }
        stream.write("<script type=\"application/json\" class=\"run\">\n")
        var head = JSONStream()
        head.add { head in
            head.add("manifest", run.manifest)
            head.add("outcome", run.outcome.rawValue)
            head.add("startedAt", run.startedAt)
            head.add("finishedAt", run.finishedAt)
        }
        stream.write(escaped(head.bytes.dropLast()))
        stream.write(",\"steps\":[")
        for (position, var step) in (sessions + run.steps).enumerated() {
            let index = position - sessions.count
            // The failures of elements are in the markup.
            let elements = step.elements
            step.elements = nil
            let links = (files[CodePoints(step.path)] ?? []).map { entry in
                let name = entry.file.path.string
                let path = FileContents.path(name, in: reported.folder ?? "")
                let href = PageLink.href(to: path, from: stream.folder)
                return JSON.object(JSONObject([("name", .string(name)), ("href", .string(href))]))
            }
            var row = JSONStream()
            row.add { row in
                step.addMembers(to: &row)
                row.add("elements", elements?.listing)
                row.add("repetition", step.repetitionText)
                row.add("isSession", index < 0 ? true : nil)
                row.add("failureNumber", numbers[index])
                row.add("files", links.isEmpty ? nil : RedactedJSON(redacted: .array(links)))
                row.add("requestBody", bodies[step.path]?.request)
                row.add("responseBody", bodies[step.path]?.response)
            }
            stream.write(position == 0 ? "\n" : ",\n")
            stream.write(escaped(row.bytes[...]))
        }
        stream.write("\n]}\n</script>\n")
    }

    /// Escapes JSON so that it cannot close or change the element that contains it. '<' occurs only in its strings.
    /// Noncharacters, which HTML must not contain, become U+FFFD.
    private static func escaped(_ json: ArraySlice<UInt8>) -> [UInt8] {
        // The UTF-8 of a noncharacter starts with one of these bytes.
        guard json.contains(where: { $0 == UInt8(ascii: "<") || $0 >= 0xEF }) else { return Array(json) }
        var text = ""
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "<": text += "\\u003c"
            case _ where PrintableText.isNoncharacter(scalar): text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return Array(text.utf8)
    }
}
