import WaybillResults

/// Prints each event as a JSON object on a line, for programs.
final class EventPrinter: RunObserver {
    private let output: Output

    init(_ output: Output) {
        self.output = output
    }

    func receive(_ event: RunEvent) {
        output.write(String(decoding: event.jsonText(), as: UTF8.self) + "\n")
    }
}
