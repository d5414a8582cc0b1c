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
        var refusals: [String: FileRefusal] = [:]
        var diagnostics: [Diagnostic] = []
        func read(_ path: String, at address: String, _ kind: String) -> ContractFile? {
            do throws(FileRefusal) {
                let (document, found) = try files.document(path, as: kind)
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
            return (Contract(name: name, path: path, document: document, refusals: refusals), diagnostics)
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
    private let spans = KnownSpans()

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
