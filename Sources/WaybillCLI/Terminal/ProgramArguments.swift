import WaybillPlatform

/// The arguments of the program.
enum ProgramArguments {
    /// The arguments without the program's name.
    ///
    /// These are the arguments that the system passed to the program. Swift's `CommandLine` reads them from `/proc` on
    /// Linux, and is empty if that is not readable.
    static var words: [String] {
        let count = Int(waybill_argument_count())
        guard count > 0 else { return Array(CommandLine.arguments.dropFirst()) }
        return (1..<max(1, count)).compactMap { index in
            waybill_argument(Int32(index)).map { String(cString: $0) }
        }
    }
}
