package import WaybillJSON
import WaybillRuntime

/// The sources of a run, stored in `sources.json` of its folder, so that `resume` detects a changed manifest:
///
///     {"format": 3, "files": {PATH: DIGEST}, "steps": {STEP: {PART: DIGEST}}, "texts": {"<standard input>": TEXT}}
///
/// Digests are SHA-256 in hexadecimal: of each file of the manifest, and of each part of a resolved step of the plan,
/// unless the part consists of a few known words.
/// Only texts that cannot be read again are stored: standard input, and for a part of a run, which another machine may
/// resume, all files of the manifest.
package struct RunSources: Sendable, Equatable {
    /// The digest of each file of the manifest, by path.
    package var files: [CodePoints: String] = [:]
    /// The digests of the parts of each step, by the step's path in the plan and the part's name; `nil` if the version
    /// of Waybill that recorded the run computed other digests or none.
    package var steps: [String: [String: String]]?
    /// The texts that cannot be read again, by path.
    package var texts: [CodePoints: [UInt8]] = [:]

    /// The version of the format, increased when digests are computed differently.
    private static let format = 3

    /// Creates the sources of a run; see the properties.
    package init(files: [CodePoints: String], steps: [String: [String: String]], texts: [CodePoints: [UInt8]]) {
        self.files = files
        self.steps = steps
        self.texts = texts
    }

    /// Reads `sources.json` in the folder of a run; `nil` if it cannot be read.
    ///
    /// - Parameter digest: Returns the digest of a text. Waybill 0.1 stored the texts of all files instead of digests.
    package init?(folder: String, digest: ([UInt8]) -> String) {
        guard let bytes = try? FolderContents.file(FolderContents.sources, in: folder).read(limit: 256 << 20),
            let object = try? JSONParser.ownFiles.parse(bytes).object
        else { return nil }
        guard let format = object["format"]?.number?.int else {
            for (path, text) in object { texts[CodePoints(path)] = text.string.map { Array($0.utf8) } }
            files = texts.mapValues(digest)
            return
        }
        files = Self.strings(object["files"]) { CodePoints($0) }
        texts = Self.strings(object["texts"]) { CodePoints($0) }.mapValues { Array($0.utf8) }
        guard format == Self.format else { return }
        steps = (object["steps"]?.object ?? JSONObject()).reduce(into: [:]) { steps, step in
            steps[step.name] = Self.strings(step.value) { $0 }
        }
    }

    private static func strings<Key>(_ value: JSON?, _ key: (String) -> Key) -> [Key: String] {
        (value?.object ?? JSONObject()).reduce(into: [:]) { strings, member in
            strings[key(member.name)] = member.value.string
        }
    }
}

extension RunSources: JSONStreamable {
    /// Writes the document, with its names in order, so that the same sources have the same text.
    package func addMembers(to object: inout JSONStream) {
        object.add("files") { $0.add(files, \.text) }
        object.add("format", Self.format)
        object.add("steps") { object in
            for (path, parts) in (steps ?? [:]).sorted(by: { $0.key.precedesByCodePoints($1.key) }) {
                object.add(named: path) { $0.add(parts, \.self) }
            }
        }
        object.add("texts") { $0.add(texts.mapValues { String(decoding: $0, as: UTF8.self) }, \.text) }
    }
}

extension JSONStream {
    /// Adds strings in the order of their names.
    fileprivate mutating func add<Key>(_ strings: [Key: String], _ name: (Key) -> String) {
        for (name, text) in strings.map({ (name($0.key), $0.value) }).sorted(by: { $0.0.precedesByCodePoints($1.0) }) {
            add(named: name, text)
        }
    }
}
