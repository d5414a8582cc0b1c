import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest

/// A path must lead to something that can exist: not into a scalar, and only to fields that data and schemas have.
///
/// Other rules check the names of the scope (`ScopeNames`) and the fields of steps (`DataFlow`).
struct FieldNames: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let shapes = ScopeShapes(subject)
        return subject.references.sites.compactMap { site in
            guard let root = shapes.root(of: site), let missing = site.reference.missingPart(from: root) else {
                return nil
            }
            return missing.diagnostic(site.reference, in: site.text, root)
        }
    }
}

/// The start of a path, if something is known about its value.
struct PathRoot {
    /// The shape of the value.
    var shape: ValueShape
    /// The number of the path's segments that lead to it.
    var depth: Int
    /// The definition of the value.
    var source: Diagnostic.Label?
}

extension ScopeShapes {
    /// Whether a path certainly leads to nothing.
    func isMissing(_ site: ReferenceSite) -> Bool {
        root(of: site).map { site.reference.missingPart(from: $0) != nil } ?? false
    }
}

extension Reference {
    /// Returns the first part of the path that certainly leads to nothing.
    fileprivate func missingPart(from root: PathRoot) -> MissingPart? {
        var shape = root.shape
        var index = root.depth
        do throws(ValueShape.Absence) {
            while index < segments.count {
                shape = try shape.selected(by: segments[index].key)
                index += 1
            }
            guard let childSegments, index == segments.count else { return nil }
            index -= 1
            shape = try shape.children()
            for segment in childSegments {
                index += 1
                shape = try shape.selected(by: segment.key)
            }
            return nil
        } catch {
            return MissingPart(reason: error, index: index)
        }
    }
}

/// A part of a path that leads to nothing.
private struct MissingPart {
    /// Why it leads to nothing.
    let reason: ValueShape.Absence
    /// The index of its segment, counting those after a wildcard; of the segment before the wildcard if that selects
    /// nothing.
    let index: Int

    func diagnostic(_ reference: Reference, in text: any EvaluatedText, _ root: PathRoot) -> Diagnostic {
        let all = reference.segments + (reference.childSegments ?? [])
        let segment = all.indices.contains(index) ? all[index] : nil
        let span = text.span(of: segment?.range ?? reference.nameRange)
        var diagnostic: Diagnostic
        switch reason {
        case .name(let names):
            diagnostic = .unknown("field", Spanned(segment?.name ?? "", at: span), among: names)
        case .scalar(let words):
            diagnostic = empty("this is always empty: \(words) has no fields or elements", at: span)
        case .list:
            diagnostic = empty("this is always empty: a list has no fields", at: span)
            diagnostic.help = ["Its elements may have fields: [0] is the first element, [*] selects all of them."]
        case .object:
            diagnostic = empty("this is always empty: an object has fields, not elements", at: span)
        case .index(let count):
            let words = count == 1 ? "1 element" : "\(count) elements"
            diagnostic = empty("this is always empty: the list has \(words)", at: span)
        }
        diagnostic.secondary += [root.source].compactMap { $0 }
        // The expression works if it has a default for a missing value.
        if reference.isGuarded { diagnostic.severity = .warning }
        return diagnostic
    }

    private func empty(_ headline: String, at span: SourceSpan) -> Diagnostic {
        Diagnostic("empty-reference", headline, at: span)
    }
}
