import Waybill

// The code of the article CheckingManifests: each part between two marks is one of its blocks.

// snippet
func lint(_ paths: [String]) throws -> (lines: [String], passed: Bool) {
    let findings = try paths.flatMap { try Waybill.check($0) }
    let lines = findings.map(\.description)
    return (lines, !findings.contains { $0.severity == .error })
}
// end

// snippet
struct Underline: Equatable {
    var line: Int
    var columns: Range<Int>
    var message: String
}

func underlines(in text: String, of path: String) throws -> [Underline] {
    try Waybill.check(text: text, of: path).compactMap { finding in
        guard let place = finding.place, place.file == path, place.line == place.endLine else { return nil }
        return Underline(line: place.line, columns: place.column..<place.endColumn, message: finding.message)
    }
}
// end

// snippet
func problems(with path: String, variables: [String: String]) throws -> [String] {
    do {
        let manifest = try Waybill.load(path)
        var problems = manifest.secretVariables.filter { variables[$0] == nil }.map { "\($0) is not set" }
        for graph in manifest.graphs {
            for environment in manifest.environments {
                let plan = try manifest.plan(graphs: [graph], environment: environment, variables: variables)
                problems += plan.warnings.map(\.description)
            }
        }
        return problems
    } catch let error as ManifestError {
        return error.findings.map(\.description)
    }
}
// end
