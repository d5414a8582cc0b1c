import ArgumentParser
import Waybill
import WaybillDiagnostics

/// `waybill cache`
struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Shows or clears the cache of HTTP responses.",
        discussion: """
            Requests with the setting 'cache' use it. It is in $XDG_CACHE_HOME/waybill/http, or in the cache folder of the \
            user's home folder.
            """,
        subcommands: [Info.self, List.self, Clear.self],
        defaultSubcommand: Info.self
    )

    /// `waybill cache info`
    struct Info: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints the cache's folder and size.")

        func run() throws {
            let cache = try CacheCommand.cache()
            let size = cache.size
            Output(noColour: true).write(
                "\(PrintableText.oneLine(cache.folder))\n"
                    + "\(size.words), at most \(cache.maximumBytes) bytes\n"
            )
        }
    }

    /// `waybill cache list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the responses in the cache, the most recently used first."
        )

        func run() throws {
            let output = Output(noColour: true)
            for entry in try CacheCommand.cache().entries() {
                let freshness = entry.isFresh ? "fresh" : "stale"
                output.write(
                    "\(entry.receivedAt)  \(freshness)  \(entry.status)  \(entry.bytes) bytes  "
                        + "\(PrintableText.oneLine(entry.url))\n"
                )
            }
        }
    }

    /// `waybill cache clear`
    struct Clear: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Removes all responses from the cache.")

        func run() throws {
            let cache = try CacheCommand.cache()
            Output(noColour: true).write("removed \(cache.clear().words) from \(PrintableText.oneLine(cache.folder))\n")
        }
    }

    private static func cache() throws -> ResponseCache {
        guard let cache = ResponseCache(variables: ProcessVariables.all) else {
            let words = "the folder of the cache is not known: neither XDG_CACHE_HOME nor HOME is an absolute path"
            Output(noColour: true).report([Diagnostic("run-error", words, at: nil)])
            throw ExitStatus.notCarriedOut
        }
        return cache
    }
}

extension ResponseCache.Size {
    fileprivate var words: String { "\(entries) \(entries == 1 ? "response" : "responses"), \(bytes) bytes" }
}
