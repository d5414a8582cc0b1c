/// Files that cannot both be written: they have one path, or one has the path of a folder of the other.
package enum FileOverlap {
    /// The maximum number of files that one is compared with. Only a manifest that was made for that has more.
    private static let limit = 100

    /// Returns the pairs of files of which one is at the path of the other, or in a folder of that path, and for which a
    /// condition holds.
    ///
    /// - Parameter files: The files and their paths, which are compared as bytes.
    package static func pairs<File>(
        of files: [(path: String, file: File)],
        where overlap: (_ outer: File, _ inner: File) -> Bool
    ) -> [(outer: File, inner: File)] {
        // With a slash at the end, the files in a folder directly follow its path.
        let sorted = files.map { (key: Array("\($0.path)/".utf8), file: $0.file) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
        return sorted.indices.flatMap { index in
            let (key, outer) = sorted[index]
            let others = sorted[(index + 1)...].prefix(limit).prefix { $0.key.starts(with: key) }
            return others.filter { overlap(outer, $0.file) }.map { (outer, $0.file) }
        }
    }
}
