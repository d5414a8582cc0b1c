import ArgumentParser
import Waybill
import WaybillDiagnostics
import WaybillRuntime

/// `waybill cache`
struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Shows or clears the cache of HTTP responses.",
        discussion: """
            Requests with the 'cache' setting use the cache. It is in $XDG_CACHE_HOME/waybill/http, in the cache \
            folder of the user's home folder, or in the folder that a manifest names.
            """,
        subcommands: [Info.self, List.self, Clear.self],
        defaultSubcommand: Info.self
    )

    /// `waybill cache info`
    struct Info: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "info",
            abstract: "Prints the cache's folder and size."
        )

        @OptionGroup var options: FolderOptions

        func run() throws {
            let cache = try options.cache()
            let limit = cache.maximumBytes.map { ", at most \($0) bytes" } ?? ""
            Output(noColour: true).write("\(PrintableText.oneLine(cache.folder))\n\(cache.size.words)\(limit)\n")
        }
    }

    /// `waybill cache list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists the responses in the cache, the most recently used first."
        )

        @OptionGroup var options: FolderOptions

        func run() throws {
            let output = Output(noColour: true)
            for entry in try options.cache().entries() {
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
        static let configuration = CommandConfiguration(
            commandName: "clear",
            abstract: "Removes all responses from the cache."
        )

        @OptionGroup var options: FolderOptions

        func run() throws {
            let cache = try options.cache()
            Output(noColour: true).write("removed \(cache.clear().words) from \(PrintableText.oneLine(cache.folder))\n")
        }
    }

    /// The option that selects the cache.
    struct FolderOptions: ParsableArguments {
        @Option(help: ArgumentHelp("The cache folder, as named in a manifest's 'cache'.", valueName: "path"))
        var folder: String?

        func cache() throws -> ResponseCache {
            if let folder {
                if (try? FileStatus(of: folder))?.kind == .folder { return ResponseCache(folder: folder) }
                let words = "there is no folder '\(PrintableText.oneLine(folder))'"
                Output(noColour: true).report([Diagnostic("run-error", words, at: nil)])
                throw ExitStatus.notRun
            }
            if let cache = ResponseCache(variables: ProcessVariables.all) { return cache }
            let words = "could not locate the cache folder: neither XDG_CACHE_HOME nor HOME is an absolute path"
            Output(noColour: true).report([Diagnostic("run-error", words, at: nil)])
            throw ExitStatus.notRun
        }
    }
}

extension ResponseCache.Size {
    fileprivate var words: String { "\(entries) \(entries == 1 ? "response" : "responses"), \(bytes) bytes" }
}
