import Testing
import WaybillTestSupport

/// An article of the documentation, and the file from which its code is compiled.
struct Article: CustomTestStringConvertible {
    /// The name of the article and of the file.
    let name: String
    private let text: String
    private let code: String

    /// Reads the article and the file.
    init(_ name: String) throws {
        self.name = name
        let articles = "\(Self.root)/Sources/Waybill/Waybill.docc"
        text = try Self.read("\(articles)/\(name).md")
        code = try Self.read("\(Self.root)/Tests/WaybillTests/Articles/\(name).swift")
    }

    /// The names of all articles.
    static var names: [String] {
        TemporaryFolder.files(in: "\(root)/Sources/Waybill/Waybill.docc", ending: ".md")
            .map { $0.split(separator: "/").last?.dropLast(3) ?? "" }.map(String.init)
    }

    var testDescription: String { name }

    /// The blocks of the article in the given language.
    func blocks(_ language: String) -> [String] {
        Self.parts(of: text, from: "```\(language)", to: "```")
    }

    /// The parts of the file that are shown in the article.
    var snippets: [String] { Self.parts(of: code, from: "// snippet", to: "// end") }

    private static func parts(of text: String, from start: String, to end: String) -> [String] {
        var parts: [String] = []
        var lines: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let part = lines, line == end {
                parts.append(part.joined(separator: "\n"))
                lines = nil
            } else if lines != nil {
                lines?.append(line)
            } else if line == start {
                lines = []
            }
        }
        return parts
    }

    private static func read(_ path: String) throws -> String {
        String(decoding: try #require(TemporaryFolder.contents(of: path), "\(path) is missing"), as: UTF8.self)
    }

    private static let root = String(#filePath.dropLast("/Tests/WaybillTests/Articles/Article.swift".count))
}
