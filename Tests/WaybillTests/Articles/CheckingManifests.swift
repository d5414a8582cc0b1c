import Waybill

// The code of the article CheckingManifests: each part between two marks is one block of the article.

// snippet
func lint(_ paths: [String]) -> (lines: [String], passed: Bool) {
    let diagnostics = paths.flatMap { Manifest.diagnostics(contentsOf: $0) }
    let lines = diagnostics.map(\.description)
    return (lines, !diagnostics.contains { $0.severity == .error })
}
// end

// snippet
struct Underline: Equatable {
    var line: Int
    var columns: Range<Int>
    var message: String
}

func underlines(in text: String, of path: String) -> [Underline] {
    Manifest.diagnostics(text: text, path: path).compactMap { diagnostic in
        guard let location = diagnostic.location, location.file == path, location.line == location.endLine else {
            return nil
        }
        let columns = location.column..<location.endColumn
        return Underline(line: location.line, columns: columns, message: diagnostic.message)
    }
}
// end

// snippet
func problems(with path: String, variables: [String: String]) -> [String] {
    do throws(ManifestError) {
        let manifest = try Manifest(contentsOf: path)
        var problems = manifest.secretVariables.filter { variables[$0] == nil }.map { "\($0) is not set" }
        for graph in manifest.graphs {
            for environment in manifest.environments {
                let plan = try manifest.plan(graphs: [graph], environment: environment, variables: variables)
                problems += plan.warnings.map(\.description)
            }
        }
        return problems
    } catch {
        return error.diagnostics.map(\.description)
    }
}
// end
