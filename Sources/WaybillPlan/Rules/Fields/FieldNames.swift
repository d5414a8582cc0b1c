import OrderedCollections
import WaybillData
import WaybillDiagnostics
import WaybillManifest

/// A path leads to something that can be there: not into a scalar, and only to fields that data and schemas have.
///
/// Names of the scope, and the fields of steps, are the business of other rules (`ScopeNames`, `DataFlow`).
struct FieldNames: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let shapes = ScopeShapes(subject)
        var diagnostics: [Diagnostic] = []
        subject.forEachUse { use, place in
            for reference in use.text.references {
                guard let root = shapes.root(of: reference, use, place) else { continue }
                if let diagnostic = FieldWalk(reference, in: use.text).check(root) { diagnostics.append(diagnostic) }
            }
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

/// A walk along a path.
private struct FieldWalk {
    let reference: Reference
    let text: any EvaluatedText

    init(_ reference: Reference, in text: any EvaluatedText) {
        self.reference = reference
        self.text = text
    }

    /// What is wrong with the path, if it surely leads to nothing.
    func check(_ root: PathRoot) -> Diagnostic? {
        var shape = root.shape
        var behind = text.span(of: reference.nameRange)
        for (index, segment) in reference.segments.enumerated() {
            behind = text.span(of: segment.range)
            guard index >= root.depth else { continue }
            do throws(AbsenceError) {
                shape = try shape.selected(by: segment.key)
            } catch {
                return finding(error.reason, segment.name, at: behind, root)
            }
        }
        guard let children = reference.childSegments, reference.segments.count >= root.depth else { return nil }
        do throws(AbsenceError) {
            shape = try shape.children()
        } catch {
            return finding(error.reason, nil, at: behind, root)
        }
        for segment in children {
            do throws(AbsenceError) {
                shape = try shape.selected(by: segment.key)
            } catch {
                return finding(error.reason, segment.name, at: text.span(of: segment.range), root)
            }
        }
        return nil
    }

    private func finding(
        _ absence: ValueShape.Absence,
        _ name: String?,
        at span: SourceSpan,
        _ root: PathRoot
    ) -> Diagnostic {
        var diagnostic: Diagnostic
        switch absence {
        case .name(let names):
            diagnostic = .unknown("field", Spanned(name ?? "", at: span), among: names)
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
