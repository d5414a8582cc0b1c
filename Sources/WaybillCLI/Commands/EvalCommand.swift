import ArgumentParser
import WaybillDiagnostics
import WaybillExplanations
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPipeline

/// `waybill eval`
struct EvalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eval",
        abstract: "Evaluates an expression on a JSON, YAML or CSV file.",
        usage: """
            waybill eval EXPR [FILE] [--compact] [--raw] [--paths]
            waybill eval --functions [NAME]
            """,
        discussion: """
            The value of the file is '$'; no other names are defined. Example: waybill eval '$.items[?@.price < \
            10].name' shop.json

            The extension of the file determines its format: .json; .ndjson or .jsonl (a list with the value of each \
            line); .yaml or .yml; .csv (a list with an object for each row, named by the first row). Any other file is \
            read as JSON if it is valid JSON, and as YAML otherwise. The maximum size is 4 GiB. file() reads files \
            relative to the current folder.

            Exit status: 0 the value was printed, 1 the expression has no value, 2 the expression or the file is \
            invalid, 3 a file could not be read or the output could not be written, 64 wrong usage.
            """
    )

    @Argument(help: ArgumentHelp("The expression; put -- before it if it starts with a minus.", valueName: "expr"))
    var expression: String?

    @Argument(
        help: "The data file; - is standard input, which is also the default if the expression contains '$'.",
        completion: .file()
    )
    var file: String?

    @Flag(help: "Print JSON on one line.")
    var compact = false

    @Flag(help: "Print a string without quotes, and a list of strings, numbers or booleans one per line.")
    var raw = false

    @Flag(help: "Print the locations that a JSONPath (RFC 9535) matches, as a list of {path, value}.")
    var paths = false

    @Flag(help: "List the functions that expressions may call, or describe the one that is named.")
    var functions = false

    @Flag(help: "Print without colours.")
    var noColor = false

    func validate() throws {
        if functions, file != nil { throw ValidationError("--functions takes at most one name.") }
        if functions, let name = expression, FunctionExplanation.of(name) == nil {
            let nearest = NearestName.of(name, among: FunctionExplanation.all.map(\.function.name))
            let hint = nearest.map { "Did you mean '\($0)'?" } ?? "'waybill eval --functions' lists all functions."
            throw ValidationError("There is no function named '\(PrintableText.oneLine(name))'. \(hint)")
        }
        if !functions, expression == nil {
            throw ValidationError("An expression is missing. Put -- before one that starts with '-'.")
        }
        if raw, paths { throw ValidationError("--raw cannot be combined with --paths.") }
    }

    func run() throws {
        let output = Output(noColour: noColor)
        guard !functions, let text = expression else {
            let printer = ExplanationPrinter(colour: output.coloursOutput)
            let entry = expression.flatMap(FunctionExplanation.of).map(printer.function)
            let table = FunctionExplanation.all.map { ($0.function.signature, $0.summary) }
            let text = entry ?? ExplanationPrinter(colour: false).table(table)
            return try output.writeResult(Array(text.utf8), as: .verbatim)
        }

        var diagnostics: [Diagnostic] = []
        func value<Value>(
            _ value: Value?,
            _ found: [Diagnostic],
            orEndWith status: ([Diagnostic]) -> ExitCode
        ) throws -> Value {
            diagnostics += found
            guard let value else {
                output.report(diagnostics)
                throw status(found)
            }
            return value
        }
        let compiled = paths ? DataExpression.compileQuery(text) : DataExpression.compile(text)
        let expression = try value(compiled.value, compiled.diagnostics) { _ in ExitStatus.invalid }
        var input: JSON?
        if file != nil || expression.needsValue {
            let (data, found) = DataFile.value(of: file ?? "-")
            input = try value(data, found) { $0.exitStatus }
        }
        let evaluated = expression.evaluate(on: input)
        let result = try value(evaluated.value, evaluated.diagnostics) { _ in ExitStatus.failed }
        output.report(diagnostics)
        let (bytes, content) = printed(result)
        try output.writeResult(bytes, as: content)
    }

    private func printed(_ value: JSON) -> ([UInt8], OutputContent) {
        var bytes: [UInt8] = []
        if raw, let lines = Self.rawLines(value) {
            for line in lines { bytes += Array(line.utf8) + [UInt8(ascii: "\n")] }
            return (bytes, .data)
        }
        JSONWriter(layout: compact ? .compact : .pretty).write(value, to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
        return (bytes, .json)
    }

    /// Returns the lines to print for a string, a number or a boolean, or for a list of these; `nil` for other values.
    private static func rawLines(_ value: JSON) -> [String]? {
        func line(_ value: JSON) -> String? {
            switch value {
            case .string(let text): text
            case .number, .bool: JSONWriter().string(value)
            default: nil
            }
        }
        guard case .array(let elements) = value else { return line(value).map { [$0] } }
        let lines = elements.compactMap(line)
        return lines.count == elements.count ? lines : nil
    }
}
