import Synchronization
package import WaybillContract
package import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillRuntime

/// Reads the OpenAPI documents that services name. References are followed within the folder boundary of the manifest;
/// nothing is fetched from a network.
package struct ContractReader {
    private let boundary: FolderBoundary
    private let system: any ManifestFileSystem

    /// Creates a reader for the documents of a manifest.
    ///
    /// - Parameter folder: The folder of the manifest.
    package init(folder: String, allowsOutside: Bool, from system: any ManifestFileSystem) {
        boundary = FolderBoundary(folder: folder, allowsOutside: allowsOutside)
        self.system = system
    }

    /// Reads a document; the contract is `nil` if a diagnostic is an error.
    ///
    /// - Parameter name: The path, relative to the file that names it.
    package func contract(_ name: Spanned<String>) -> (contract: Contract?, diagnostics: [Diagnostic]) {
        let files = ManifestFiles(
            folder: FileContents.folder(of: name.span.file.name),
            boundary: boundary,
            system: system
        )
        if name.value.contains("://") {
            let message = "'\(name.value)' is not a file: an OpenAPI document is not fetched from a network"
            let help = "Save it beside the manifest, for example with 'curl -o openapi.json URL', and name the file."
            return (nil, [Diagnostic("invalid-contract", message, at: name.span, help: [help])])
        }
        let path = files.path(name.value)
        let known = system.contracts?.contract(name, at: path) { file in
            (try? files.read(file.name, as: "file"))?.bytes == file.bytes
        }
        if let known { return known }
        var refusals: [String: FileRefusal] = [:]
        var diagnostics: [Diagnostic] = []
        var texts: [SourceFile] = []
        func read(_ path: String, at address: String, _ kind: String) -> ContractFile? {
            do throws(FileRefusal) {
                let file = try files.read(path, as: kind)
                let (document, found) = file.firstDocument
                texts.append(file.source)
                diagnostics += found
                return document.map { document in
                    ContractFile(document.value) { document.locations(of: $0) }
                }
            } catch {
                refusals[address] = error
                return nil
            }
        }
        let address = URIReference.address(ofFile: path)
        guard let root = read(path, at: address, "OpenAPI document") else {
            if let refusal = refusals[address] { diagnostics.append(refusal.diagnostic(at: name.span)) }
            return (nil, diagnostics)
        }
        do {
            // Files are named as the document is, relative to the working directory if possible.
            let whole = URIReference.file(atAddress: address) ?? path
            let start = whole.hasSuffix("/\(path)") ? String(whole.dropLast(path.count)) : nil
            let document = try OpenAPIDocument(root, at: address) { address in
                guard let file = URIReference.file(atAddress: address) else { return nil }
                let name = start.flatMap { file.hasPrefix($0) ? String(file.dropFirst($0.count)) : nil } ?? file
                return read(name, at: address, "file")
            }
            let contract = Contract(name: name, path: path, document: document, refusals: refusals)
            if refusals.isEmpty { system.contracts?.add(contract, diagnostics, readFrom: texts) }
            return (contract, diagnostics)
        } catch {
            let locations = root.locations([error.location.pointer])
            diagnostics.report(
                "invalid-contract",
                error.message,
                at: locations.span(at: error.location.pointer) ?? locations.span,
                secondary: [.init(name.span, "used here")],
                help: error.help.map { [$0] } ?? []
            )
            return (nil, diagnostics)
        }
    }
}

/// The OpenAPI documents that were read, for a program that checks manifests again and again. Each is used until one of its files
/// changes.
package final class KnownContracts: Sendable {
    private typealias Entry = (contract: Contract, diagnostics: [Diagnostic], files: [SourceFile])

    /// The maximum number of documents that are kept.
    private static let maximumCount = 32

    private let entries = Mutex<[CodePoints: Entry]>([:])

    /// Creates an empty collection.
    package init() {}

    fileprivate func contract(
        _ name: Spanned<String>,
        at path: String,
        isUnchanged: (SourceFile) -> Bool
    ) -> (contract: Contract?, diagnostics: [Diagnostic])? {
        guard let entry = entries.withLock({ $0[CodePoints(path)] }), entry.files.allSatisfy(isUnchanged) else {
            return nil
        }
        return (entry.contract.named(name), entry.diagnostics)
    }

    fileprivate func add(_ contract: Contract, _ diagnostics: [Diagnostic], readFrom files: [SourceFile]) {
        entries.withLock { entries in
            if entries.count >= Self.maximumCount { entries = [:] }
            entries[CodePoints(contract.path)] = (contract, diagnostics, files)
        }
    }
}

/// The OpenAPI document of a service.
package struct Contract: Sendable {
    /// The name of the file, and where a manifest has it.
    package let name: Spanned<String>
    /// The path of the file.
    package let path: String
    /// The document.
    package let document: OpenAPIDocument
    /// Why files that it refers to cannot be read, by address.
    private let refusals: [String: FileRefusal]
    private var spans = KnownSpans()

    /// Spans that were looked up. To find those of JSON, its whole text is read.
    private final class KnownSpans: Sendable {
        let known = Mutex<[ContractLocation: SourceSpan]>([:])
    }

    fileprivate init(
        name: Spanned<String>,
        path: String,
        document: OpenAPIDocument,
        refusals: [String: FileRefusal]
    ) {
        self.name = name
        self.path = path
        self.document = document
        self.refusals = refusals
    }

    /// Returns the contract as another text names it.
    fileprivate func named(_ name: Spanned<String>) -> Contract {
        var contract = Contract(name: name, path: path, document: document, refusals: refusals)
        contract.spans = spans
        return contract
    }

    /// Returns the diagnostic for an error in the document.
    ///
    /// - Parameter use: Where the manifest uses the part with the error.
    package func diagnostic(for error: ContractError, usedAt use: SourceSpan) -> Diagnostic {
        let span = span(of: error.location)
        if let refusal = error.unreadAddress.flatMap({ refusals[$0] }) {
            var diagnostic = refusal.diagnostic(at: span ?? use)
            if span != nil { diagnostic.secondary.append(.init(use, "used here")) }
            return diagnostic
        }
        return Diagnostic(
            "invalid-contract",
            error.message,
            at: span ?? use,
            secondary: span == nil ? [] : [.init(use, "used here")],
            help: error.help.map { [$0] } ?? []
        )
    }

    /// Returns the span of a value in the document, or of its name if it has one; `nil` if it does not exist.
    package func span(of location: ContractLocation) -> SourceSpan? {
        if let known = spans.known.withLock({ $0[location] }) { return known }
        find([location])
        return spans.known.withLock { $0[location] }
    }

    /// Looks up the spans of some values, so that `span(of:)` does not read the text for each.
    package func find(_ locations: [ContractLocation]) {
        for (address, found) in document.locations(of: locations) {
            for location in locations where location.address == address {
                guard let span = found.nameOrValue(at: location.pointer) else { continue }
                spans.known.withLock { $0[location] = span }
            }
        }
    }
}

extension DocumentLocations {
    /// The span of the name of a value, or of an element; `nil` if it does not exist.
    func nameOrValue(at pointer: JSONPointer) -> SourceSpan? { keySpan(at: pointer) ?? span(at: pointer) }
}
