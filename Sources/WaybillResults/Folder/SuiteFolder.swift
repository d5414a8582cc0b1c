import WaybillJSON
import WaybillRuntime

/// The folder of the runs of several manifests: `suite.json` lists them, and each run has a folder of its own in it.
package struct SuiteFolder: Sendable {
    /// A manifest of the suite.
    package struct Member: Sendable, Equatable {
        /// The path of the manifest, as it was given.
        package let manifest: String
        /// The folder of its run, which is not there if the run did not begin.
        package let folder: String
    }

    private static let list = "suite.json"

    /// The folder.
    package let path: String
    /// The manifests, in the order in which they run.
    package let members: [Member]

    /// Makes the folder of some manifests.
    ///
    /// - Parameter path: The folder; `nil`: one in `parent` that is named like a run, to which the link `latest` there is
    ///   led.
    package static func create(
        _ path: String?,
        in parent: String,
        for manifests: [String]
    ) throws(ResultsError) -> SuiteFolder {
        let name = RunID().description
        let folder = path ?? "\(parent)/\(name)"
        let names = names(for: manifests)
        let members = zip(manifests, names).map { manifest, name in
            JSON.object(JSONObject([("manifest", .string(manifest)), ("folder", .string(name))]))
        }
        var text: [UInt8] = []
        JSONWriter(layout: .pretty).write(.object(JSONObject([("manifests", .array(members))])), to: &text)
        try FolderContents.make(folder)
        try OutputFile.replaceDurably([("\(folder)/\(list)", text + [UInt8(ascii: "\n")])])
        if path == nil { try FolderContents.leadLatest(in: parent, to: name) }
        return SuiteFolder(
            path: folder,
            members: zip(manifests, names).map { Member(manifest: $0, folder: "\(folder)/\($1)") }
        )
    }

    private init(path: String, members: [Member]) {
        self.path = path
        self.members = members
    }

    /// The suite in a folder; `nil` if there is none.
    package init?(at path: String) {
        guard let bytes = try? FileContents.read("\(path)/\(Self.list)", limit: 64 << 20),
            let list = (try? JSONParser().parse(bytes))?["manifests"]?.array
        else { return nil }
        self.path = path
        members = list.compactMap { member in
            guard let manifest = member["manifest"]?.string, let folder = member["folder"]?.string,
                // A list that somebody changed must not lead elsewhere.
                !folder.hasPrefix("/"), !folder.split(separator: "/").contains("..")
            else { return nil }
            return Member(manifest: manifest, folder: "\(path)/\(folder)")
        }
    }

    /// Names for the folders of the runs of manifests: their paths without the extension and without what would lead
    /// elsewhere. No two are the same, also where case does not count.
    static func names(for manifests: [String]) -> [String] {
        var taken: Set<String> = []
        return manifests.map { path in
            var parts = path.split(separator: "/").filter { $0 != "." && $0 != ".." }.map(String.init)
            if let last = parts.last, let dot = last.lastIndex(of: "."), dot != last.startIndex {
                parts[parts.count - 1] = String(last[..<dot])
            }
            let base = parts.isEmpty ? "manifest" : parts.joined(separator: "/")
            var name = base
            var number = 1
            while !taken.insert(name.lowercased()).inserted {
                number += 1
                name = "\(base)-\(number)"
            }
            return name
        }
    }
}
