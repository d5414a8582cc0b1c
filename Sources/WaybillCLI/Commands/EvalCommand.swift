import ArgumentParser
import Waybill
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest

/// `waybill eval`
struct EvalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eval",
        abstract: "Prints what an expression gives on a JSON, YAML or CSV file.",
        usage: """
            waybill eval EXPR [FILE] [--compact] [--raw] [--paths]
            waybill eval --functions
            """,
        discussion: """
            The value of the file is '$', and there are no other names: waybill eval '$.items[?@.price < 10].name' shop.json

            A file is JSON, NDJSON (the list of its lines' values), YAML or CSV (the list of its rows, each with the names \
            of the first) by its ending: .json, .ndjson or .jsonl, .yaml or .yml, .csv. Any other is JSON if it can be, and \
            YAML otherwise. It may have up to 4 GiB. file() reads files relative to the current folder.

            Exit status: 0 a value is printed, 1 the expression has no value here, 2 the expression or the file is invalid, \
            3 something cannot be read or written, 64 wrong usage.
            """
    )

    @Argument(help: ArgumentHelp("The expression; behind -- if it begins with a minus.", valueName: "expr"))
    var expression: String?

    @Argument(
        help: "The file of data; standard input for -, or where none is given and the expression has a '$'.",
        completion: .file()
    )
    var file: String?

    @Flag(help: "Print JSON on one line.")
    var compact = false

    @Flag(help: "Print a text as it is, and of a list of texts, numbers or booleans one a line.")
    var raw = false

    @Flag(help: "Print the places that a path of RFC 9535 matches: a list of {path, value}.")
    var paths = false

    @Flag(help: "List the functions that expressions may call.")
    var functions = false

    @Flag(help: "Print without colours.")
    var noColor = false

    func validate() throws {
        if functions, expression != nil { throw ValidationError("--functions takes no expression.") }
        if !functions, expression == nil { throw ValidationError("An expression is missing.") }
        if raw, paths { throw ValidationError("--raw and --paths exclude each other.") }
    }

    func run() throws {
        let output = Output(noColour: noColor)
        guard let text = expression else { return try output.writeResult(Array(Self.functionTable.utf8)) }

        var findings: [Diagnostic] = []
        func value<Value>(
            _ value: Value?,
            _ found: [Diagnostic],
            orEndWith status: ([Diagnostic]) -> ExitCode
        ) throws -> Value {
            findings += found
            guard let value else {
                output.report(findings)
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
        output.report(findings)
        try output.writeResult(printed(result))
    }

    private func printed(_ value: JSON) -> [UInt8] {
        var bytes: [UInt8] = []
        if raw, let lines = Self.rawLines(value) {
            for line in lines { bytes += Array(line.utf8) + [UInt8(ascii: "\n")] }
        } else {
            JSONWriter(layout: compact ? .compact : .pretty).write(value, to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    /// The lines of a text, or of a list of what can be put into a text; `nil` for anything else.
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

    private static var functionTable: String {
        let functions = ExpressionFunction.all
        let width = functions.map(\.signature.count).max() ?? 0
        return functions.reduce(into: "") { text, function in
            let margin = String(repeating: " ", count: width - function.signature.count)
            text += "\(function.signature)\(margin)  \(function.summary)\n"
        }
    }
}
