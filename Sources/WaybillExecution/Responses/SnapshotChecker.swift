import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillResults
import WaybillRuntime

/// Compares the data of a response, or the values of a step, with the file that `expect: {snapshot: FILE}` names, or creates the new content of
/// the file.
///
/// The file has JSON on several lines, or a string or bytes as they are. Secrets are redacted in the file, and in the
/// data before it is compared.
struct SnapshotChecker {
    /// A file to write instead of comparing.
    struct Update: Sendable {
        /// The path of the file.
        let path: String
        /// Its new content.
        let content: [UInt8]
        /// The location of the expectation.
        let span: SourceSpan
    }

    private static let maximumBytes = 64 << 20
    private static let nothingCompared = "the paths of 'ignore' select all of the data, so nothing is compared"

    private let snapshot: ExpectedSnapshot
    private let span: SourceSpan
    private let file: LocalFile
    private let data: JSON
    private let audience: RunAudience

    /// A checker of some data.
    ///
    /// - Parameter files: The folder that the file must be in.
    init(
        _ snapshot: Setting<ExpectedSnapshot>,
        data: JSON,
        redactor: Redactor,
        files: FolderBoundary,
        audience: RunAudience
    ) {
        self.audience = audience
        self.snapshot = snapshot.value
        span = snapshot.span
        file = snapshot.value.namedFile.file(within: files)
        self.data = redactor.redact(data)
    }

    /// Returns the differences of some data of a step from the file; if snapshots are updated, what is written to it instead.
    static func check(
        _ snapshot: Setting<ExpectedSnapshot>,
        data: JSON,
        in scope: RequestScope
    ) -> (violations: [ExpectationChecker.Violation], update: Update?) {
        let run = scope.context.run
        let checker = SnapshotChecker(
            snapshot,
            data: data,
            redactor: run.redactor,
            files: scope.environment.files,
            audience: run.executor.audience
        )
        guard run.executor.updatesSnapshots else { return (checker.violations(), nil) }
        do throws(EvaluationFailure) {
            return ([], try checker.update())
        } catch {
            return ([.init(message: error.message, span: error.span)], nil)
        }
    }

    /// Returns the file with the data as its content. Throws if the file is outside the folder.
    func update() throws(EvaluationFailure) -> Update {
        guard file.boundary.encloses(file.path) else {
            let message = "the snapshot \(file.path) is outside the folder of the manifest"
            throw EvaluationFailure(message: message, span: span)
        }
        if !data.isEmptyList, (try? reduced(data))?.isEmptyList == true {
            throw EvaluationFailure(message: Self.nothingCompared, span: span)
        }
        let content: [UInt8] =
            switch data {
            case .string(let text): Array(text.utf8)
            case .bytes(let bytes): bytes
            default: Array((JSONWriter(layout: .pretty, stopsAtDeadline: true).string(data) + "\n").utf8)
            }
        return Update(path: file.path, content: content, span: span)
    }

    /// The differences of the data from the file.
    func violations() -> [ExpectationChecker.Violation] {
        let content: [UInt8]
        do throws(FileError) {
            content = try file.read(limit: Self.maximumBytes)
        } catch {
            let message =
                error.reason == .notFound
                ? "the snapshot \(file.path) does not exist; \(audience.updatesSnapshots) creates it"
                : "the snapshot \(file.path) cannot be read: \(error.message)"
            return [.init(message: message, span: span)]
        }
        switch data {
        case .string(let text): return difference(ofLines: text, from: content).map { [violation($0)] } ?? []
        case .bytes(let bytes):
            return bytes == content
                ? [] : [violation("has \(bytes.count) bytes that differ from the \(content.count) bytes of the file")]
        default: return differences(fromJSON: content)
        }
    }

    private func differences(fromJSON content: [UInt8]) -> [ExpectationChecker.Violation] {
        guard let expected = try? JSONParser.ownFiles.parse(content) else {
            return [
                .init(message: "the snapshot \(file.path) is not JSON, but the data is \(data.kind.phrase)", span: span)
            ]
        }
        let comparison: JSONComparison
        do throws(EvaluationError) {
            let (found, wanted) = (try reduced(data), try reduced(expected))
            if found.isEmptyList, wanted.isEmptyList, !data.isEmptyList || !expected.isEmptyList {
                return [.init(message: Self.nothingCompared, span: span)]
            }
            comparison = JSONComparison(of: found, with: wanted, .equals, limit: ExpectationChecker.limit)
        } catch {
            return [.init(message: "the paths of 'ignore' cannot be evaluated: \(error.message)", span: span)]
        }
        let parts = comparison.differences.map { violation($0.message) }
        return ExpectationChecker.Violation.all(parts, of: comparison.count, "differences from the snapshot", at: span)
    }

    /// A value without what the paths of `ignore` select.
    private func reduced(_ value: JSON) throws(EvaluationError) -> JSON {
        var value = value
        for path in snapshot.ignored {
            value = value.removing(try path.nodes(in: value).map { $0.location.tokens[...] }) ?? .null
        }
        return value
    }

    private func difference(ofLines text: String, from content: [UInt8]) -> String? {
        let expected = String(decoding: content, as: UTF8.self)
        if text.utf8.elementsEqual(expected.utf8) { return nil }
        // Bytes, because comparing characters normalises them, which takes long for some text.
        let lines = [text, expected].map { text in
            text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
                String(Substring($0))
            }
        }
        let index = zip(lines[0], lines[1]).enumerated().first { !$0.element.0.hasSameCodePoints(as: $0.element.1) }?
            .offset
        guard let index else {
            return "has \(lines[0].count == 1 ? "1 line" : "\(lines[0].count) lines"), not \(lines[1].count)"
        }
        return "has '\(lines[0][index].excerpt(120))' in line \(index + 1), not '\(lines[1][index].excerpt(120))'"
    }

    private func violation(_ predicate: String) -> ExpectationChecker.Violation {
        .init(message: "the data \(predicate) (snapshot \(snapshot.file.value))", span: span)
    }
}

extension JSON {
    /// Whether it is an object or array without members or elements.
    fileprivate var isEmptyList: Bool { object?.isEmpty ?? array?.isEmpty ?? false }

    /// Returns the value without the nodes at some paths; `nil` if it is one of them.
    fileprivate func removing(_ paths: [ArraySlice<JSONPointer.Token>]) -> JSON? {
        if paths.contains(where: \.isEmpty) { return nil }
        switch self {
        case .object(let members):
            let parts = Dictionary(grouping: paths) { CodePoints($0.first?.text ?? "") }
            return .object(
                JSONObject(
                    members.compactMap { name, member in
                        guard let inside = parts[CodePoints(name)] else { return (name: name, value: member) }
                        return member.removing(inside.map { $0.dropFirst() }).map { (name: name, value: $0) }
                    }
                )
            )
        case .array(let elements):
            let parts = Dictionary(grouping: paths) { path -> Int? in
                if case .index(let index)? = path.first { index } else { nil }
            }
            return .array(
                elements.indices.compactMap { index in
                    guard let inside = parts[index] else { return elements[index] }
                    return elements[index].removing(inside.map { $0.dropFirst() })
                }
            )
        case .null, .bool, .number, .string, .bytes: return self
        }
    }
}
