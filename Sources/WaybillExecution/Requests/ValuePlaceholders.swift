import Synchronization
import WaybillExpressions
import WaybillJSON

/// Stands for the values of expressions that are known only in a run, when requests are built without one.
package final class ValuePlaceholders: Sendable {
    /// A value that is not known.
    package struct Placeholder: Sendable, Equatable {
        /// The expression.
        package let expression: String
        /// What is in the request instead of the value: lowercase letters and digits, which no encoding changes.
        package let mark: String
    }

    private let known = Mutex<[Placeholder]>([])
    /// The expressions that are the start of a URL.
    private let addresses: Set<String>

    /// Creates placeholders.
    package init(addresses: Set<String> = []) { self.addresses = addresses }

    /// The values that requests have needed, in order.
    package var all: [Placeholder] { known.withLock { $0 } }

    /// The start of all marks.
    package static let prefix = "waybillvalue"

    /// The names whose values a run computes.
    private static let computed: Set<String> = ["steps", "session", "state", "run", "secrets", "response"]
    /// The names whose values may contain marks.
    private static let carriers: Set<String> = ["inputs", "vars", "request"]
    /// The functions whose results differ from run to run.
    private static let changing = ["now(", "uuid(", "epoch()"]

    /// Returns what stands for the value of an expression; nil if the value is known.
    func value(for expression: Expression, in scope: EvaluationScope) -> ScopeValue? {
        let roots = Set(expression.references.map(\.name))
        let isComputed = roots.contains { root in
            Self.computed.contains(root)
                || scope.root.member(root) == nil && root != "$"
                    && !(root == "item" && scope.item != nil)
        }
        let isPath = expression.text.utf8.allSatisfy { !" (+*/%!=<>?".utf8.contains($0) }
        let carriesMark = roots.intersection(Self.carriers).contains { root in
            guard case .namespace(let members)? = scope.root.member(root) else { return true }
            return JSONWriter().string(members.materialized.json).contains(Self.prefix)
        }
        let isMissing = isPath && roots == ["inputs"] && (try? expression.plainValue(in: scope)) == nil
        guard
            isComputed || isMissing || carriesMark && !isPath
                || Self.changing.contains(where: { expression.text.contains($0) })
        else { return nil }
        let mark = known.withLock { known in
            if let same = known.first(where: { $0.expression == expression.text }) { return same.mark }
            let mark = "\(Self.prefix)\(known.count)z"
            known.append(Placeholder(expression: expression.text, mark: mark))
            return mark
        }
        let text = addresses.contains(expression.text) ? "http://\(mark)" : mark
        return ScopeValue(.string(text), isSecret: roots.contains("secrets"))
    }
}
