import WaybillFormats
import WaybillRuntime

/// Links of a page to its own parts and to files.
enum PageLink {
    /// Encodes a string for use in a fragment.
    static func encoded(_ text: String) -> String { PercentEncoding.component(text) }

    /// Returns a link to a file that works as long as the page and the file are moved together; the file's own path if
    /// the page is not in a folder.
    ///
    /// - Parameter folder: The folder of the page.
    static func href(to file: String, from folder: String?) -> String {
        guard let folder = folder.flatMap({ FileContents.canonicalPath($0) }),
            let file = FileContents.canonicalPath(file)
        else { return PercentEncoding.path(file) }
        let (origin, target) = (folder.split(separator: "/"), file.split(separator: "/"))
        let shared = zip(origin, target).prefix { $0 == $1 }.count
        let steps = Array(repeating: "..", count: origin.count - shared) + target.dropFirst(shared).map(String.init)
        return PercentEncoding.path(steps.joined(separator: "/"))
    }
}
