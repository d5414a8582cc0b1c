import WaybillRuntime

/// The bodies of responses that are kept in a run's folder.
package struct KeptBodies: Sendable {
    /// The paths of the files, by file name without the extension.
    private var files: [String: String] = [:]
    /// The paths of the files with the bodies of requests, in the same way.
    private var requests: [String: String] = [:]

    /// Lists the bodies in a run's folder; links are left out, because their targets are not of the run.
    package init(folder: String) {
        let bodies = "\(folder)/\(RunFileNames.bodies)"
        for name in FolderContents.names(in: bodies) {
            guard let dot = name.lastIndex(of: "."), !name.hasPrefix("."),
                FolderContents.status(of: "\(bodies)/\(name)")?.kind == .file
            else { continue }
            if name[..<dot].hasSuffix(BodyName.requestMark) {
                requests[String(name[..<dot].dropLast(BodyName.requestMark.utf8.count))] = "\(bodies)/\(name)"
            } else {
                files[String(name[..<dot])] = "\(bodies)/\(name)"
            }
        }
    }

    /// Returns the path of the file with the body of the last response of a step, or of an element such as
    /// `main.items[3]`; `nil` if it was not kept.
    package func path(of step: String) -> String? { files[BodyName.stem(of: step)] }

    /// Returns the paths of the files with the bodies of the requests of a step or an element, and of its pages.
    package func requests(of step: String) -> [String] {
        let stem = BodyName.stem(of: step)
        return requests.filter { $0.key == stem || $0.key.hasPrefix(stem + BodyName.pageMark) }.map(\.value).sorted()
    }

    /// Returns the paths of the files with the pages of a step with `paginate`, in the order of the pages.
    package func pages(of step: String) -> [String] {
        let start = BodyName.stem(of: step) + BodyName.pageMark
        let pages = files.compactMap { name, path in
            name.hasPrefix(start) ? Int(name.dropFirst(start.count)).map { ($0, path) } : nil
        }
        return pages.sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// Returns the paths of the files with the bodies of a step's elements, and of the steps in them, in the order of
    /// the elements; for an element, those of the steps in it.
    package func inside(_ step: String) -> [String] {
        let stem = BodyName.stem(of: step)
        let start = stem.last == "]" ? "\(stem)." : "\(stem)["
        let bodies = files.compactMap { name, path -> (index: Int, rest: String, path: String)? in
            guard name.hasPrefix(start), !name.hasPrefix(stem + BodyName.pageMark) else { return nil }
            let rest = name.dropFirst(start.count)
            let digits = rest.prefix(while: \.isNumber)
            return (Int(digits) ?? 0, String(rest.dropFirst(digits.count)), path)
        }
        return bodies.sorted { ($0.index, $0.rest) < ($1.index, $1.rest) }.map(\.path)
    }
}
