import WaybillDiagnostics
import WaybillJSON
import WaybillPlatform
package import WaybillRuntime

/// The language server of `waybill lsp`: the Language Server Protocol 3.17 on two streams.
///
/// A thread reads the messages; they are handled one after another. Diagnostics are published when no message arrives for a
/// moment, so that several edits in a row are checked once.
package final class LanguageServer {
    /// How often the server looks whether the client's process still exists, in milliseconds.
    private static let clientInterval: Int32 = 5_000
    /// How long after an edit another one is waited for, in milliseconds.
    private static let editInterval: Int32 = 15
    /// The longest time that edits in a row delay diagnostics.
    private static let maximumDelay = Duration.milliseconds(500)

    private enum State {
        case created, running, shutDown
    }

    private let workspace: Workspace
    private let output: Int32
    private var state = State.created
    /// The client's process, as it was given.
    private var client: Int?
    /// When the text was changed that has not been checked since.
    private var changedAt: ContinuousClock.Instant?
    /// What was published, by document, with the version of the text.
    private var published: [CodePoints: JSON] = [:]
    /// Whether the client can report files that change.
    private var canWatchFiles = false

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - output: The descriptor of the stream that messages are written to.
    ///   - allowsOutside: Whether manifests may name files outside their folders.
    package init(output: Int32, allowsOutside: Bool) {
        self.output = output
        workspace = Workspace(allowsOutside: allowsOutside)
    }

    /// Handles the messages of a stream until the client ends the session.
    ///
    /// - Returns: Whether it has ended the session as the protocol says: `shutdown`, then `exit`.
    package func run(input: Int32) throws(SystemError) -> Bool {
        let queue = try MessageQueue()
        let thread = try SystemThread {
            var reader = MessageReader(.headers) { (try? OpenFile.read(64 << 10, from: input)) ?? [] }
            while queue.add(reader.next()) {}
        }
        return try withExtendedLifetime(thread) { () throws(SystemError) in try handleMessages(of: queue) }
    }

    private func handleMessages(of queue: MessageQueue) throws(SystemError) -> Bool {
        while true {
            if let changedAt, changedAt.duration(to: .now) > Self.maximumDelay { try publish() }
            guard let result = queue.next(within: changedAt == nil ? Self.clientInterval : Self.editInterval) else {
                if changedAt != nil { try publish() }
                if let client, kill(pid_t(client), 0) != 0, errno == ESRCH { return false }
                continue
            }
            switch result {
            case .end: return false
            case .broken(let error):
                try send(ServerMessage.failure(error))
                return false
            case .invalid(let error): try send(ServerMessage.failure(error))
            case .message(.response): break
            case .message(.notification("exit", _)): return state == .shutDown
            case .message(.notification(let method, let parameters)): try notify(method, parameters)
            case .message(.request(let id, let method, let parameters)):
                let isCancelled = queue.removeCancellation(of: id)
                do throws(ResponseError) {
                    if isCancelled { throw ResponseError(.requestCancelled, "the client has cancelled the request") }
                    let result = try respond(to: method, parameters)
                    try? send(ServerMessage.result(result, of: id))
                } catch {
                    try send(ServerMessage.failure(error, of: id))
                }
            }
        }
    }

    // MARK: Requests

    private func respond(to method: String, _ parameters: JSON) throws(ResponseError) -> JSON {
        switch (state, method) {
        case (.created, "initialize"): return initialize(parameters)
        case (.created, _): throw ResponseError(.serverNotInitialized, "the first request is 'initialize'")
        case (.running, "initialize"): throw ResponseError(.invalidRequest, "the server is initialized already")
        case (.shutDown, _): throw ResponseError(.invalidRequest, "the server is shut down")
        case (.running, "shutdown"):
            state = .shutDown
            return .null
        case (.running, _):
            guard let feature = EditorFeatures.named(method) else {
                throw ResponseError(.methodNotFound, "the method '\(method)' does not exist")
            }
            return try feature.result(for: DocumentRequest(parameters, in: workspace))
        }
    }

    private func initialize(_ parameters: JSON) -> JSON {
        state = .running
        client = parameters["processId"]?.number?.int.flatMap { pid_t(exactly: $0) }.map(Int.init)
        let capabilities = parameters["capabilities"]
        let encodings = capabilities?["general"]?["positionEncodings"]?.array ?? []
        workspace.encoding = PositionEncoding.preferred(of: encodings.compactMap(\.string))
        let completion = capabilities?["textDocument"]?["completion"]?["completionItem"]
        workspace.hasSnippets = completion?["snippetSupport"]?.bool ?? false
        let modes = completion?["insertTextModeSupport"]?["valueSet"]?.array ?? []
        workspace.adjustsIndentation = modes.contains { $0 == 2 }
        let watching = capabilities?["workspace"]?["didChangeWatchedFiles"]?["dynamicRegistration"]
        canWatchFiles = watching?.bool ?? false
        let folders = parameters["workspaceFolders"]?.array?.compactMap { $0["uri"]?.string }
        let single = parameters["rootUri"]?.string.map { [$0] }
        workspace.folders = (folders ?? single ?? []).compactMap(FileURI.path)
        var provided = JSONObject(EditorFeatures.all.map { (name: $0.capability.name, value: $0.capability.value) })
        provided["positionEncoding"] = .string(workspace.encoding.rawValue)
        provided["textDocumentSync"] = ["openClose": true, "change": 2, "save": true]
        provided["workspace"] = ["workspaceFolders": ["supported": true, "changeNotifications": true]]
        return [
            "capabilities": .object(provided),
            "serverInfo": ["name": "waybill", "version": .string(WaybillVersion.current)],
        ]
    }

    // MARK: Notifications

    private func notify(_ method: String, _ parameters: JSON) throws(SystemError) {
        guard state == .running else { return }
        let document = parameters["textDocument"]
        let uri = document?["uri"]?.string
        do throws(ResponseError) {
            switch (method, uri) {
            case ("initialized", _): try? watchFiles()
            case ("textDocument/didOpen", let uri?):
                guard let text = document?["text"]?.string else { return }
                noteChange()
                // A client forgets the diagnostics of a document that it closes.
                published[workspace.key(ofURI: uri)] = nil
                let language = document?["languageId"]?.string
                try workspace.open(uri, version: document?["version"] ?? .null, language: language, text: text)
            case ("textDocument/didChange", let uri?):
                let changes = parameters["contentChanges"]?.array ?? []
                noteChange()
                try workspace.change(uri, version: document?["version"] ?? .null, changes)
            case ("textDocument/didClose", let uri?):
                noteChange()
                workspace.close(uri)
            case ("textDocument/didSave", let uri?):
                noteChange()
                workspace.fileChanged(uri)
            case ("workspace/didChangeWatchedFiles", _):
                noteChange()
                for change in parameters["changes"]?.array ?? [] {
                    if let uri = change["uri"]?.string { workspace.fileChanged(uri) }
                }
            case ("workspace/didChangeWorkspaceFolders", _):
                noteChange()
                func paths(_ key: String) -> [String] {
                    (parameters["event"]?[key]?.array ?? []).compactMap { $0["uri"]?.string.flatMap(FileURI.path) }
                }
                let removed = paths("removed")
                workspace.folders = workspace.folders.filter { !removed.contains($0) } + paths("added")
            default: break
            }
        } catch {
            try send(
                ServerMessage.notification(
                    "window/showMessage",
                    ["type": 1, "message": .string("waybill: \(uri ?? ""): \(error.message)")]
                )
            )
        }
    }

    private func noteChange() { changedAt = changedAt ?? .now }

    /// Asks the client to report changes of files that manifests use.
    private func watchFiles() throws(SystemError) {
        guard canWatchFiles else { return }
        let patterns: [JSON] = ["yaml", "yml", "json", "csv", "ndjson"].map { ["globPattern": .string("**/*.\($0)")] }
        let registration: JSON = [
            "id": "waybill-files", "method": "workspace/didChangeWatchedFiles",
            "registerOptions": ["watchers": .array(patterns)],
        ]
        try send(ServerMessage.request("client/registerCapability", ["registrations": [registration]], id: "waybill-1"))
    }

    // MARK: Diagnostics

    /// Publishes the diagnostics of all open documents that have changed, and of the files that they include.
    private func publish() throws(SystemError) {
        changedAt = nil
        var roots: [CodePoints] = []
        for key in workspace.documents.keys.sorted(by: { $0.text < $1.text }) where workspace.isManifest(key) {
            for root in workspace.roots(of: key).prefix(Workspace.maximumRoots) where !roots.contains(root) {
                roots.append(root)
            }
        }
        workspace.keepAnalyses(of: Set(roots))
        let current = PublishedDiagnostics.ofManifests(roots.compactMap(workspace.analysis), in: workspace)
        let keys = Set(published.keys).union(current.keys).union(workspace.documents.keys)
        for key in keys.sorted(by: { $0.text < $1.text }) {
            var parameters = JSONObject()
            parameters["uri"] = .string(workspace.uri(of: key))
            parameters["version"] = workspace.documents[key].flatMap { $0.version == .null ? nil : $0.version }
            parameters["diagnostics"] = .array(current[key] ?? [])
            guard published[key] != .object(parameters) else { continue }
            // A file that was never open and has no diagnostics is not mentioned.
            if current[key]?.isEmpty ?? true, published[key] == nil, workspace.documents[key] == nil { continue }
            let isKnown = current[key] != nil || workspace.documents[key] != nil
            published[key] = isKnown ? .object(parameters) : nil
            try send(ServerMessage.notification("textDocument/publishDiagnostics", .object(parameters)))
        }
    }

    private func send(_ message: JSON) throws(SystemError) {
        var body: [UInt8] = []
        JSONWriter().write(message, to: &body)
        try OpenFile.write(Array("Content-Length: \(body.count)\r\n\r\n".utf8) + body, to: output)
    }
}
