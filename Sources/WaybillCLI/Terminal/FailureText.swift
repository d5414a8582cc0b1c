import WaybillDiagnostics
import WaybillJSON
import WaybillResults
import WaybillRuntime

/// Formats the failure of a step, which is printed below the line of the step.
struct FailureText {
    /// The maximum number of failed elements that are listed.
    private static let listedElements = 5
    /// The maximum number of lines of a body that are printed on a terminal, and their maximum width in columns. JSON
    /// on a longer line is laid out.
    private static let bodyLines = 10
    private static let bodyColumns = 100
    /// The maximum number of characters of a body that are printed elsewhere, where nobody can open the file.
    private static let bodyCharacters = 2000

    /// Whether the text has colours.
    let colour: Bool
    /// The size of the terminal; `nil` if the text goes elsewhere.
    var terminal: TerminalSize?
    /// The bodies that are kept in the folder of the run.
    var bodies: KeptBodies?
    /// Whether bodies are printed in full, of up to a mebibyte.
    var printsWholeBodies = false

    private static let margin = 4

    /// Returns the failure of a step: its location in the manifest, the reason, and the start of the response's body;
    /// for a `forEach`, how many elements failed, and the first of them.
    func text(of result: StepResult) -> String {
        guard let failure = result.failure else { return "" }
        var text = indented(diagnostic(of: failure))
        if result.elements == nil { text += body(of: result.path, failure) }
        return text + (result.elements.map { list(of: $0, step: result.path) } ?? "")
    }

    /// Returns a failure formatted as a diagnostic, because it points into the manifest as diagnostics do.
    private func diagnostic(of failure: Failure) -> String {
        var renderer = HumanRenderer(colour: colour)
        if let terminal { renderer.width = max(30, Output.sourceColumns(of: terminal) - Self.margin) }
        let text = failure.text(renderer)
        return Self.lines(text).dropLast().joined(separator: "\n")
    }

    /// Returns how many elements failed, and the first of them with their indices, values, URLs and reasons.
    private func list(of elements: ElementResults, step: String) -> String {
        let failed = elements.counts[.failed] + elements.counts[.tolerated]
        guard failed > 0 else { return "" }
        let listed = elements.failures.prefix(Self.listedElements)
        let cancelled = elements.counts[.cancelled]
        let others = cancelled == 0 ? "" : ", \(cancelled) \(cancelled == 1 ? "was" : "were") cancelled"
        var text = indented("\(failed) of \(elements.count) elements failed\(others):")
        for element in listed { text += indented("  " + PrintableText.oneLine(line(of: element))) }
        if failed > listed.count { text += indented("  … and \(failed - listed.count) more") }
        // The bodies of the others are in the folder.
        if printsWholeBodies {
            text += body(of: step)
        } else if let first = listed.first {
            text += body(of: "\(step)[\(first.index)]", first.failure)
        }
        return text
    }

    /// `[3] "SKU-17", http://127.0.0.1:8080/items/SKU-17: the status is 404, not 2xx`
    private func line(of element: ElementResults.ElementFailure) -> String {
        let subject = element.subject.words.joined(separator: ", ")
        let reason = Self.reason(element.failure)
        guard !subject.isEmpty else { return "[\(element.index)] \(reason)" }
        let room = terminal.map { max(24, $0.columns - reason.count - 16) } ?? StyledText.maximumColumns
        return "[\(element.index)] \(PrintableText.shortened(subject, to: room)): \(reason)"
    }

    /// Returns why an element failed, with all its messages.
    static func reason(_ failure: Failure) -> String {
        let messages = failure.details.map(\.message).filter { $0 != failure.message }
        let details = messages.isEmpty ? "" : " (\(messages.map(\.description).joined(separator: "; ")))"
        return "\(failure.message)\(details)"
    }

    /// Returns the failure of an element, and the start of the response's body.
    func text(of element: ElementResults.ElementFailure, step: String) -> String {
        indented(diagnostic(of: element.failure)) + body(of: "\(step)[\(element.index)]", element.failure)
    }

    /// Returns the start of the body of the last response of a step or an element, and the path of the file that
    /// contains it. If bodies are printed in full, returns those of all pages, and of the elements and the steps in
    /// them. Empty if no body was kept.
    ///
    /// - Parameters:
    ///   - failure: The failure. A long body starts with the part that the failure is about.
    ///   - hasPassed: Whether the step passed. The last page is then one of the pages.
    func body(of step: String, _ failure: Failure? = nil, hasPassed: Bool = false) -> String {
        guard let bodies else { return "" }
        let last = bodies.path(of: step)
        guard printsWholeBodies else { return last.map { body(in: $0, failure) } ?? "" }
        let pages = bodies.pages(of: step)
        let paths = pages + (hasPassed && !pages.isEmpty ? [] : [last].compactMap(\.self)) + bodies.inside(step)
        return paths.map { body(in: $0, nil) }.joined()
    }

    private func body(in path: String, _ failure: Failure?) -> String {
        guard let size = try? FileStatus(of: path).size,
            let start = try? LocalFile(path).start(printsWholeBodies ? 1 << 20 : 1 << 16)
        else { return "" }
        let headline = "response body, \(TransferText.size(size)) in \(PrintableText.oneLine(path))"
        guard !start.contains(0) else { return indented(headline) }
        var body = String(decoding: start, as: UTF8.self)
        if !printsWholeBodies, start.count > Self.bodyColumns,
            !body.unicodeScalars.dropLast(2).contains(where: \.isLineBreak),
            let json = try? JSONParser().parse(start)
        {
            body = JSONWriter(layout: .pretty).string(json)
        }
        var isCut = size > start.count
        let isLate = failure.map { cutStart(of: &body, upTo: $0) } ?? false
        if !printsWholeBodies, terminal == nil, body.unicodeScalars.count > Self.bodyCharacters {
            body = String(body.start(Self.bodyCharacters))
            isCut = true
        }
        let isLimited = !printsWholeBodies && terminal != nil
        let lines = body.unicodeScalars.split(whereSeparator: \.isLineBreak)
        let maximum = isLimited ? Self.bodyLines : Int.max
        let columns =
            isLimited ? min(Self.bodyColumns, (terminal?.columns ?? .max) - Self.margin - 3) : Int.max
        var text = "\(headline):" + (isLate ? "\n  …" : "")
        for line in lines.prefix(maximum) {
            text += "\n  " + PrintableText.start(of: PrintableText.oneLine(String(line)), columns)
        }
        if lines.count > maximum || isCut { text += "\n  …" }
        return indented(text)
    }

    /// Removes the lines of a long JSON text before the value that a failure is about. Returns whether there were any.
    private func cutStart(of body: inout String, upTo failure: Failure) -> Bool {
        let isLong =
            body.unicodeScalars.count > Self.bodyCharacters
            || terminal != nil && body.utf8.count { $0 == UInt8(ascii: "\n") } > Self.bodyLines
        guard isLong,
            let path = ([failure.message] + failure.details.map(\.message)).lazy
                .compactMap({ Self.path(in: $0.description) }).first
        else { return false }
        let pointers = (1...path.count).map { JSONPointer(Array(path.prefix($0))) }
        let text = SourceFile(name: "", text: body)
        let locations = JSONLocations(of: pointers, in: text)
        guard let location = pointers.reversed().lazy.compactMap({ locations.span(at: $0) }).first else { return false }
        let lines = Self.lines(body)
        let first = body.utf8.prefix(location.range.lowerBound).count { $0 == UInt8(ascii: "\n") } - 2
        guard first > 2 else { return false }
        body = lines[first...].joined(separator: "\n")
        return true
    }

    /// Returns the first path such as `$.items[3].price` in a message, without what follows that is not a name or an
    /// index.
    private static func path(in message: String) -> [JSONPointer.Token]? {
        guard let start = message.unicodeScalars.firstIndex(of: "$") else { return nil }
        var rest = message.unicodeScalars[start...].dropFirst()
        var tokens: [JSONPointer.Token] = []
        while let mark = rest.first {
            let part = rest.dropFirst().prefix {
                $0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "_" || $0 == "-"
            }
            if mark == ".", !part.isEmpty {
                tokens.append(.name(String(part)))
                rest = rest[part.endIndex...]
            } else if mark == "[", let index = Int(String(part)), rest[part.endIndex...].first == "]" {
                tokens.append(.index(index))
                rest = rest[part.endIndex...].dropFirst()
            } else {
                break
            }
        }
        return tokens.isEmpty ? nil : tokens
    }

    private func indented(_ text: String) -> String {
        let margin = String(repeating: " ", count: Self.margin)
        return Self.lines(text).map { $0.isEmpty ? "\n" : "\(margin)\($0)\n" }.joined()
    }

    /// Returns the lines of a text. They are found by bytes, because comparing characters normalises them, which takes
    /// long for some text.
    private static func lines(_ text: String) -> [Substring] {
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Substring($0) }
    }
}

extension Unicode.Scalar {
    /// Whether it ends a line.
    fileprivate var isLineBreak: Bool { Character(self).isNewline }
}
