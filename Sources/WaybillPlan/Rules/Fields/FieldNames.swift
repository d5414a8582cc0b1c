import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest

/// A path leads to something that can be there: not into a scalar, and only to fields that data and schemas have.
///
/// Names of the scope, and the fields of steps, are the business of other rules (`ScopeNames`, `DataFlow`).
struct FieldNames: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let shapes = ScopeShapes(subject)
        var diagnostics: [Diagnostic] = []
        // A path through data may have to look at all of it, and the same paths are written again and again.
        var known: [PathThroughData: MissingPart?] = [:]
        let references = subject.references
        for index in references.sites.indices where ScopeShapes.areKnown(behind: references.roots[index]) {
            let site = references.sites[index]
            let reference = site.reference
            guard let root = shapes.root(of: site) else { continue }
            let missing: MissingPart?
            if let path = PathThroughData(reference, from: root) {
                if known[path] == nil { known[path] = .some(reference.missingPart(from: root)) }
                missing = known[path] ?? nil
            } else {
                missing = reference.missingPart(from: root)
            }
            if let missing { diagnostics.append(missing.finding(reference, in: site.text, root)) }
        }
        return diagnostics
    }
}

/// What a path begins at, as far as it is known.
struct PathRoot {
    /// What is known of it.
    var shape: ValueShape
    /// How many steps of the path lead to it.
    var depth: Int
    /// Where it is defined.
    var source: Diagnostic.Label?
}

/// A path that begins at data, or at the elements of a list that is known.
private struct PathThroughData: Hashable {
    private let source: SourceSpan
    private let keys: [CodePoints]
    private let children: [CodePoints]?

    init?(_ reference: Reference, from root: PathRoot) {
        guard case .oneOf = root.shape, let source = root.source?.span else { return nil }
        self.source = source
        keys = reference.segments.map { Self.text(of: $0.key) }
        children = reference.childSegments.map { $0.map { Self.text(of: $0.key) } }
    }

    private static func text(of key: Reference.Segment.Key) -> CodePoints {
        switch key {
        case .name(let name): CodePoints(".\(name)")
        case .index(let index): CodePoints("[\(index)")
        }
    }
}

extension ScopeShapes {
    /// Whether a path surely leads to nothing.
    func isMissing(_ site: ReferenceSite) -> Bool {
        root(of: site).map { site.reference.missingPart(from: $0) != nil } ?? false
    }
}

extension Reference {
    /// The first part of the path that surely leads to nothing.
    fileprivate func missingPart(from root: PathRoot) -> MissingPart? {
        var shape = root.shape
        for index in segments.indices where index >= root.depth {
            do throws(AbsenceError) {
                shape = try shape.selected(by: segments[index].key)
            } catch {
                return MissingPart(reason: error.reason, index: index)
            }
        }
        guard let childSegments, segments.count >= root.depth else { return nil }
        do throws(AbsenceError) {
            shape = try shape.children()
        } catch {
            return MissingPart(reason: error.reason, index: segments.count - 1)
        }
        for index in childSegments.indices {
            do throws(AbsenceError) {
                shape = try shape.selected(by: childSegments[index].key)
            } catch {
                return MissingPart(reason: error.reason, index: segments.count + index)
            }
        }
        return nil
    }
}

/// A part of a path that leads to nothing.
private struct MissingPart {
    /// Why there is nothing.
    let reason: ValueShape.Absence
    /// Which segment it is, those behind a wildcard counted too; that before the wildcard where that selects nothing.
    let index: Int

    func finding(_ reference: Reference, in text: any EvaluatedText, _ root: PathRoot) -> Diagnostic {
        let all = reference.segments + (reference.childSegments ?? [])
        let segment = all.indices.contains(index) ? all[index] : nil
        let span = text.span(of: segment?.range ?? reference.nameRange)
        var diagnostic: Diagnostic
        switch reason {
        case .name(let names):
            diagnostic = .unknown("field", Spanned(segment?.name ?? "", at: span), among: names)
        case .scalar(let words):
            diagnostic = empty("this can only be empty: there is nothing in \(words)", at: span)
        case .list:
            diagnostic = empty("this can only be empty: a list has no fields", at: span)
            diagnostic.help = ["Its elements may have: [0] is the first, [*] are all."]
        case .object:
            diagnostic = empty("this can only be empty: an object has fields, not elements", at: span)
        case .index(let count):
            let words = count == 1 ? "1 element" : "\(count) elements"
            diagnostic = empty("this can only be empty: the list has \(words)", at: span)
        }
        diagnostic.secondary += [root.source].compactMap { $0 }
        // With a value for the case that there is none, the expression works.
        if reference.isGuarded { diagnostic.severity = .warning }
        return diagnostic
    }

    private func empty(_ headline: String, at span: SourceSpan) -> Diagnostic {
        Diagnostic("empty-reference", headline, at: span)
    }
}
