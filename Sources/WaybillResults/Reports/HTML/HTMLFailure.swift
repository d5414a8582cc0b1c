import WaybillDiagnostics
import WaybillJSON
import WaybillRuntime

/// A failed step on the page: its diagnostic, its request and response, and its failed elements.
struct HTMLFailure {
    let step: StepResult
    let number: Int
    let run: ReportedRun
    /// The number of the run on the page, if there are several.
    let runNumber: Int?
    let exchanges: FailedExchanges
    /// The kept bodies of the run, if elements of a step failed.
    let bodies: KeptBodies?
    /// The folder of the page, which links to bodies are relative to.
    let pageFolder: String?

    /// The number of failures whose details are expanded initially.
    private static let openFailures = 20
    /// The maximum number of bytes of a body that are shown.
    private static let shownBytes = 4096

    var markup: HTML {
        let exchange = exchanges[step.path].map { self.exchange($0, isOpen: number <= Self.openFailures) }
        return """
            <article class="failure \(step.outcome.rawValue)" id="failure-\(number)" aria-labelledby="failure-\(number)-heading">
            <h3 id="failure-\(number)-heading"><span class="outcome">\(step.outcome.rawValue)</span> \(title)</h3>
            <p class="facts">\(facts) <a href="#\(target)">in the steps</a></p>
            \(step.failure.map(diagnostic))\(exchange)\(step.elements.map(elements))</article>

            """
    }

    private var title: String {
        (runNumber == nil ? "" : "\(run.result.manifest): ") + step.title
    }

    private var target: String {
        "\(runNumber.map { "run=\($0)&" } ?? "")step=\(PageLink.encoded(step.path))"
    }

    private var facts: HTML {
        var facts: [HTML] = []
        if let request = step.request { facts.append("<code>\(request)</code> ") }
        if let status = step.status { facts.append("<span>status \(status)</span> ") }
        if let time = step.time?.total { facts.append("<span>\(time.secondsText) s</span> ") }
        facts += step.repetitions.map { "<span>\($0.count) \($0.noun)</span> " }
        return .joined(facts)
    }

    /// The diagnostic as in the terminal, with the carets highlighted. Only the lines of the manifest do not wrap.
    private func diagnostic(_ failure: Failure) -> HTML {
        let lines = failure.text(HumanRenderer()).unicodeScalars
            .split(separator: "\n", omittingEmptySubsequences: false)
        let rendered = lines.dropLast().map { line in
            let margin = line.prefix { $0 == " " || ("0"..."9").contains($0) }
            guard line[margin.endIndex...].first == "|" else { return "<span>\(String(line))\n</span>" as HTML }
            return line.contains("^") ? "<mark>\(String(line))</mark>\n" : "\(String(line))\n" as HTML
        }
        return "<pre class=\"diagnostic\" tabindex=\"0\" aria-label=\"Diagnostic\">\(.joined(rendered))</pre>\n"
    }

    private func elements(_ elements: ElementResults) -> HTML {
        let items = elements.failures.enumerated().map { index, element in
            let path = "\(step.path)[\(element.index)]"
            let exchange = index < FailedExchanges.shownElements ? exchanges[path] : nil
            // The journal has the exchanges of steps in elements, or of all with --verbose.
            let body = exchange == nil ? bodies?.path(of: path).map(FileContents.name) : nil
            let words: HTML = .joined(element.subject.words.map { "<code>\($0)</code> " })
            return """
                <li><b>[\(element.index)]</b> \(words)\(element.failure.message.description)\
                \(body.flatMap(link).map { "<br>Body: \($0)" as HTML })\
                \(exchange.map { self.exchange($0, isOpen: false) })</li>

                """ as HTML
        }
        let failed = elements.counts[.failed] + elements.counts[.tolerated]
        let rest: HTML? = failed > items.count ? "<p>\(failed - items.count) more failed.</p>\n" : nil
        return """
            <details class="elements"\(number <= Self.openFailures ? " open" as HTML : "")>
            <summary>Elements: \(elements.summary)</summary>
            <ul>
            \(.joined(items))</ul>
            \(rest)</details>

            """
    }

    // MARK: Request and response

    private func exchange(_ exchange: Exchange, isOpen: Bool) -> HTML {
        """
        <details class="exchange"\(isOpen ? " open" as HTML : "")>
        <summary>Request and response</summary>
        <div class="sides">
        <section aria-label="Request">
        <h4>Request</h4>
        <p><code>\(exchange.method) \(exchange.url)</code></p>
        \(fields(exchange.headers))\(body(of: exchange, ofRequest: true))</section>
        <section aria-label="Response">
        <h4>Response</h4>
        \(response(of: exchange))</section>
        </div>
        </details>

        """
    }

    private func response(of exchange: Exchange) -> HTML {
        guard let response = exchange.response else {
            return "<p>\(exchange.failure ?? "The response is not recorded.")</p>\n"
        }
        let version = response.httpVersion.map { "HTTP/\($0) " } ?? ""
        return "<p><code>\(version)\(response.status)</code></p>\n\(fields(response.headers))\(body(of: exchange))"
    }

    private func fields(_ fields: [JSON]) -> HTML {
        let items = fields.map { field in
            "<div><dt>\(field["name"]?.string ?? "")</dt><dd>\(field["value"]?.string ?? "")</dd></div>\n" as HTML
        }
        return items.isEmpty ? "" : "<dl class=\"fields\">\(.joined(items))</dl>\n"
    }

    private func body(of exchange: Exchange, ofRequest: Bool = false) -> HTML? {
        guard let body = run.body(of: exchange, ofRequest: ofRequest, limit: Self.shownBytes) else { return nil }
        let more: HTML? = body.isCut ? " (the first \(body.bytes.count) bytes)" : nil
        let content: HTML =
            body.bytes.contains(0)
            ? "<p>The body is binary.</p>\n"
            : """
            <pre class="body" tabindex="0" aria-label="Body">\(String(decoding: body.bytes, as: UTF8.self))</pre>

            """
        return "<p>Body: \(body.file.flatMap(link))\(more)</p>\n\(content)"
    }

    /// Returns a link to a kept body.
    private func link(toBody name: String) -> HTML? {
        let path = "\(FolderContents.bodies)/\(name)"
        guard let href = run.folder.map({ PageLink.href(to: "\($0)/\(path)", from: pageFolder) }) else { return nil }
        return "<a href=\"\(href)\"><code>\(path)</code></a>"
    }
}
