import WaybillPlatform

/// The arguments of the program.
enum ProgramArguments {
    /// The arguments without the program's name.
    ///
    /// These are the arguments that the system passed to the program. Swift's `CommandLine` reads them from `/proc` on
    /// Linux, and is empty if that is not readable.
    static var words: [String] { arguments { String(cString: $0) } ?? Array(CommandLine.arguments.dropFirst()) }

    /// The first argument that is not UTF-8, with U+FFFD for what is not. As a string, it would name another file than
    /// the user has named.
    static var firstBeyondUTF8: String? {
        arguments { String(validatingCString: $0) == nil ? String(cString: $0) : nil }?.first
    }

    private static func arguments(_ text: (UnsafePointer<CChar>) -> String?) -> [String]? {
        let count = Int(waybill_argument_count())
        guard count > 0 else { return nil }
        return (1..<max(1, count)).compactMap { index in waybill_argument(Int32(index)).flatMap(text) }
    }
}
