/// Who runs a plan and reads its messages, which name what that reader can use.
package enum RunAudience: Sendable {
    /// A person on the command line.
    case commandLine
    /// A program that uses the library.
    case program

    /// What sends a request again that may have been sent before.
    var repeatsUnsure: String { self == .commandLine ? "--repeat-unsure" : "'repeatsUnsure: true'" }

    /// What resumes the run and sends such requests again.
    var resumesAndRepeatsUnsure: String {
        self == .commandLine ? "'waybill resume --repeat-unsure'" : "resuming it with 'repeatsUnsure: true'"
    }

    /// What allows files outside a folder.
    var allowsOutside: String { self == .commandLine ? "--allow-outside" : "'allowsOutside: true'" }

    /// What writes the snapshots.
    var updatesSnapshots: String {
        self == .commandLine ? "'waybill run --update-snapshots'" : "'updatesSnapshots: true'"
    }
}
