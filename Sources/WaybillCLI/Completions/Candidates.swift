import WaybillDiagnostics

/// The words that can complete a word of a command line.
package enum Candidates {
    /// Returns the words that start with a prefix, each once.
    ///
    /// Words come from files that may not be trusted. Empty ones and those with control characters, line breaks or
    /// directional marks are left out, because shells separate candidates by lines and print them to the terminal.
    package static func matching(_ prefix: String, in words: some Sequence<String>) -> [String] {
        var known: Set<String> = []
        return words.filter { word in
            word.hasPrefix(prefix) && !word.isEmpty && !word.unicodeScalars.contains(where: PrintableText.steers)
                && known.insert(word).inserted
        }
    }
}
