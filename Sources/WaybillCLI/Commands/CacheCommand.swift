import ArgumentParser
import WaybillDiagnostics
import WaybillFormats
import WaybillPipeline
import WaybillRuntime
import WaybillTransport

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
            let limit = cache.maximumBytes == .max ? "" : ", at most \(cache.maximumBytes) bytes"
            let size = words(for: cache.files())
            Output(noColour: true).write("\(PrintableText.oneLine(cache.folder))\n\(size)\(limit)\n")
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
            let cache = try options.cache()
            for file in cache.files() {
                guard let entry = cache.entry(in: file) else { continue }
                let freshness = CacheFreshness(entry, now: .now()).isFresh ? "fresh" : "stale"
                output.write(
                    "\(entry.receivedAt)  \(freshness)  \(entry.status)  \(file.size) bytes  "
                        + "\(PrintableText.oneLine(entry.key.url))\n"
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
            let removed = words(for: cache.clear())
            Output(noColour: true).write("removed \(removed) from \(PrintableText.oneLine(cache.folder))\n")
        }
    }

    /// The option that selects the cache.
    struct FolderOptions: ParsableArguments {
        @Option(help: ArgumentHelp("The cache folder, as named in a manifest's 'cache'.", valueName: "path"))
        var folder: String?

        func cache() throws -> CacheStore {
            let output = Output(noColour: true)
            if let folder {
                guard (try? FileStatus(of: folder))?.kind == .folder else {
                    throw output.notRun("the folder '\(PrintableText.oneLine(folder))' does not exist")
                }
                // Its maximum size is set by manifests.
                return CacheStore(folder: folder, maximumBytes: .max)
            }
            guard let folder = CacheStore.userFolder(environment: ProcessVariables.all) else {
                throw output.notRun(
                    "could not locate the cache folder: neither XDG_CACHE_HOME nor HOME is an absolute path"
                )
            }
            return CacheStore(folder: folder)
        }
    }
}

/// Returns the number of entries of a cache, and the size of their files.
private func words(for files: [CacheStore.File]) -> String {
    let bytes = files.reduce(0) { $0 + $1.size }
    return "\(files.count) \(files.count == 1 ? "response" : "responses"), \(bytes) bytes"
}
