package import WaybillDiagnostics

/// Why a pattern is invalid or cannot be matched against files.
package struct GlobFailure: Error {
    /// The id of the diagnostic to report.
    package let id: DiagnosticID
    /// What is wrong with the pattern, in one sentence without a full stop.
    package let headline: String
    /// What to do about it, in whole sentences.
    package let help: [String]

    package init(_ id: DiagnosticID, _ headline: String, help: [String] = []) {
        self.id = id
        self.headline = headline
        self.help = help
    }
}

/// A pattern for paths: names separated by `/`, with `*`, `?`, `[…]`, `**` and `{a,b}`.
package struct PathGlob: Sendable {
    /// A pattern without braces.
    package struct Alternative: Sendable {
        /// Whether it starts at the root of the file system.
        package let isAbsolute: Bool
        /// The patterns of the names of a path.
        package let components: [Component]
    }

    /// A pattern for one component of a path.
    package enum Component: Sendable {
        /// This name only.
        case literal(String)
        /// Any name that matches.
        case names(Glob)
        /// `**`: any number of folders, including none; at the end of a pattern, all files in them.
        case anyFolders

        fileprivate init(parsing text: Substring.UnicodeScalarView) throws(GlobFailure) {
            if text.elementsEqual("**".unicodeScalars) {
                self = .anyFolders
            } else {
                let glob = try Glob(name: text)
                self = glob.literal.map { .literal($0) } ?? .names(glob)
            }
        }
    }

    /// The patterns that the braces expand to; at least one.
    package let alternatives: [Alternative]

    /// The maximum length of a pattern, in code points.
    private static let maximumLength = 4096

    /// Parses a pattern.
    package init(parsing text: String) throws(GlobFailure) {
        guard text.unicodeScalars.prefix(Self.maximumLength + 1).count <= Self.maximumLength else {
            throw GlobFailure("invalid-glob", "the pattern has more than \(Self.maximumLength) characters")
        }
        guard !text.utf8.contains(0) else {
            throw GlobFailure("invalid-glob", "the pattern contains a null character, which is not allowed in paths")
        }
        var expansion = BraceExpansion(text)
        alternatives = try expansion.expand().map { (text) throws(GlobFailure) in try Alternative(parsing: text) }
    }
}

extension PathGlob.Alternative {
    fileprivate init(parsing text: String) throws(GlobFailure) {
        guard let last = text.unicodeScalars.last else { throw GlobFailure("invalid-glob", "the pattern is empty") }
        guard last != "/" else {
            throw GlobFailure(
                "invalid-glob",
                "the pattern '\(text)' ends with /, so it cannot match a file",
                help: ["Write FOLDER/* for the files in a folder, or FOLDER/** to include those in its subfolders."]
            )
        }
        var components: [PathGlob.Component] = []
        var isLiteral = true
        for part in Substring(text).unicodeScalars.split(separator: "/") {
            if part.elementsEqual(".".unicodeScalars) { continue }
            let component = try PathGlob.Component(parsing: part)
            switch component {
            case .literal("..") where !isLiteral:
                throw GlobFailure("invalid-glob", "'..' follows a wildcard in the pattern '\(text)'")
            case .literal: break
            case .names: isLiteral = false
            case .anyFolders:
                isLiteral = false
                if case .anyFolders = components.last { continue }
            }
            components.append(component)
        }
        guard let end = components.last else {
            throw GlobFailure("invalid-glob", "the pattern '\(text)' is a folder, so it cannot match a file")
        }
        if case .literal("..") = end {
            throw GlobFailure("invalid-glob", "the pattern '\(text)' is a folder, so it cannot match a file")
        }
        isAbsolute = text.unicodeScalars.first == "/"
        self.components = components
    }
}

/// Expands `{a,b}` like a shell: before anything else, across `/`, and recursively.
private struct BraceExpansion {
    private var rest: Substring.UnicodeScalarView
    private let whole: String

    private static let maximumCount = 1000
    private static let maximumDepth = 16

    init(_ text: String) {
        whole = text
        rest = Substring(text).unicodeScalars
    }

    /// Returns the patterns that the text expands to.
    mutating func expand() throws(GlobFailure) -> [String] {
        try sequence(depth: 0)
    }

    /// Reads to the end; within braces, to the comma or brace that ends the part.
    private mutating func sequence(depth: Int) throws(GlobFailure) -> [String] {
        var texts = [""]
        while let scalar = rest.first, depth == 0 || (scalar != "," && scalar != "}") {
            rest.removeFirst()
            switch scalar {
            case "{":
                let parts = try alternatives(depth: depth + 1)
                guard texts.count * parts.count <= Self.maximumCount else { throw tooMany() }
                texts = texts.flatMap { text in parts.map { text + $0 } }
            case "\\":
                append(scalar, to: &texts)
                if let next = rest.popFirst() { append(next, to: &texts) }
            case "[":
                append(scalar, to: &texts)
                copyClass(to: &texts)
            default:
                append(scalar, to: &texts)
            }
        }
        return texts
    }

    private mutating func alternatives(depth: Int) throws(GlobFailure) -> [String] {
        guard depth <= Self.maximumDepth else {
            throw GlobFailure(
                "invalid-glob",
                "the braces of the pattern are nested more than \(Self.maximumDepth) levels deep"
            )
        }
        var parts = try sequence(depth: depth)
        while let scalar = rest.popFirst() {
            if scalar == "}" { return parts }
            parts += try sequence(depth: depth)
            guard parts.count <= Self.maximumCount else { throw tooMany() }
        }
        throw GlobFailure(
            "invalid-glob",
            "a { of the pattern '\(whole)' is never closed",
            help: ["A literal { is written \\{."]
        )
    }

    /// Copies a class up to its `]`. Braces and commas in it are ordinary characters.
    private mutating func copyClass(to texts: inout [String]) {
        guard let end = Self.classEnd(in: rest) else { return }
        for scalar in rest[..<end] { append(scalar, to: &texts) }
        rest = rest[end...]
    }

    private static func classEnd(in text: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView.Index? {
        var index = text.startIndex
        if index < text.endIndex, text[index] == "!" || text[index] == "^" { index = text.index(after: index) }
        var isFirst = true
        while index < text.endIndex {
            if text[index] == "]", !isFirst { return index }
            isFirst = false
            if text[index] == "\\" { index = text.index(after: index) }
            if index < text.endIndex { index = text.index(after: index) }
        }
        return nil
    }

    private func append(_ scalar: Unicode.Scalar, to texts: inout [String]) {
        for index in texts.indices { texts[index].unicodeScalars.append(scalar) }
    }

    private func tooMany() -> GlobFailure {
        GlobFailure("invalid-glob", "the braces of the pattern expand to more than \(Self.maximumCount) patterns")
    }
}
