import WaybillDiagnostics
import WaybillJSON

extension [SchemaViolation] {
    /// The violations without missing names that are present but misspelt: one typing error is reported once.
    ///
    /// For `pth: /a` where `path` is required, an unknown name is reported, with the suggestion `path`, and no missing
    /// name. The same applies to the only unknown name of a mapping in which only the missing name is still possible.
    func withoutMissingNamesThatAreMisspelt(in root: @autoclosure () -> JSON) -> [SchemaViolation] {
        var unknown: [JSONPointer: [Int]] = [:]
        for index in indices {
            guard case .unknownName = self[index].detail else { continue }
            unknown[self[index].parent, default: []].append(index)
        }
        guard !unknown.isEmpty else { return self }
        lazy var root = root()
        var result = self
        var absorbed: Set<Int> = []
        for index in indices {
            guard case .missingName(let missing) = self[index].detail,
                let candidates = unknown[self[index].instanceLocation]
            else { continue }
            for position in candidates.prefix(32) {
                let isOnly = candidates.count == 1
                guard let name = self[position].meaning(among: missing, in: root, isOnly: isOnly) else { continue }
                result[position].suggestion = name
                absorbed.insert(index)
                break
            }
        }
        return result.indices.filter { !absorbed.contains($0) }.map { result[$0] }
    }
}

extension SchemaViolation {
    /// The mapping or list that contains the value.
    fileprivate var parent: JSONPointer { JSONPointer(instanceLocation.tokens.dropLast()) }

    /// Returns the missing name that this unknown one was meant to be.
    fileprivate func meaning(among missing: [String], in root: JSON, isOnly: Bool) -> String? {
        guard case .unknownName(let unknown, let known) = detail else { return nil }
        let nearest = NearestName.of(unknown, among: missing + known)
        if let nearest, missing.contains(where: { $0.hasSameCodePoints(as: nearest) }) { return nearest }
        guard isOnly, missing.count == 1, let present = parent.resolve(in: root)?.object else { return nil }
        let free = known.filter { present[$0] == nil }
        return free.count == 1 && free[0].hasSameCodePoints(as: missing[0]) ? missing[0] : nil
    }
}
