import Synchronization

/// Takes secrets out of texts: every registered value is replaced by `***`, however it is spelled.
///
/// A secret is found as it is, percent-encoded (in either case of the digits, with any choice of characters left as they
/// are) or form-encoded, with JSON's escapes, and in base64 (either alphabet, padded or not, alone or anywhere inside a
/// longer text that was encoded). Where matches overlap, all that they cover goes. A text is read once for each kind of
/// escape that occurs in it, whatever the number of secrets; without secrets nothing is read.
package final class Redactor: Sendable {
    /// What stands in place of a secret.
    package static let mask = "***"

    /// Some secrets and the automaton that finds them.
    private struct Generation {
        var secrets: [String]
        var automaton: PatternAutomaton
    }

    private struct State {
        var secrets: Set<String> = []
        /// Largest first. A few generations instead of one, so that registering many secrets one by one, as a forEach
        /// that logs in does, costs n log n and not n².
        var generations: [Generation] = []
    }

    /// The number of secrets up to which one automaton is simply built anew.
    private static let smallGeneration = 16

    private let state = Mutex(State())

    /// A redactor without secrets.
    package init() {}

    /// Adds a secret: texts redacted from now on do not show it. An empty one is ignored.
    package func register(_ secret: String) {
        guard !secret.isEmpty else { return }
        state.withLock { state in
            guard state.secrets.insert(secret).inserted else { return }
            var secrets = [secret]
            while let last = state.generations.last, last.secrets.count <= max(secrets.count, Self.smallGeneration) {
                secrets += last.secrets
                state.generations.removeLast()
            }
            let automaton = PatternAutomaton(secrets.lazy.flatMap(Self.patterns))
            state.generations.append(Generation(secrets: secrets, automaton: automaton))
        }
    }

    /// The text without secrets.
    package func redact(_ text: String) -> String {
        let automata = automata
        return automata.isEmpty ? text : Self.redact(text, automata) ?? text
    }

    /// The bytes without secrets; text in any encoding that contains ASCII, or binary.
    package func redact(_ bytes: [UInt8]) -> [UInt8] {
        let automata = automata
        guard !automata.isEmpty else { return bytes }
        return bytes.withUnsafeBufferPointer { Self.redact($0, automata) } ?? bytes
    }

    /// The value without secrets in its strings and names; a number that is written exactly as a secret becomes `"***"`.
    package func redact(_ json: JSON) -> JSON {
        changed(json) ?? json
    }

    /// Whether there is anything to redact in a value.
    func holdsSecret(_ json: JSON) -> Bool { changed(json) != nil }

    private func changed(_ json: JSON) -> JSON? {
        let automata = automata
        guard !automata.isEmpty else { return nil }
        return Self.redact(json, automata, state.withLock { $0.secrets })
    }

    private var automata: [PatternAutomaton] {
        // Most runs have no secrets, and everything that is told asks.
        state.withLock { $0.generations.isEmpty ? [] : $0.generations.map(\.automaton) }
    }

    private static func patterns(of secret: String) -> [PatternAutomaton.Pattern] {
        let bytes = Array(secret.utf8)
        return [PatternAutomaton.Pattern(bytes: bytes)] + Base64Patterns.patterns(of: bytes)
    }
}

// Each of these returns `nil` where there is nothing to redact, so that what is clean is never copied.
extension Redactor {
    private static func redact(_ text: String, _ automata: [PatternAutomaton]) -> String? {
        var text = text
        return text.withUTF8 { redact($0, automata) }.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func redact(_ text: UnsafeBufferPointer<UInt8>, _ automata: [PatternAutomaton]) -> [UInt8]? {
        var ranges = automata.flatMap { $0.matches(in: text) }
        for escapes in Unescaped.Escapes.allCases {
            guard let unescaped = Unescaped(text, escapes) else { continue }
            let found = unescaped.bytes.withUnsafeBufferPointer { bytes in automata.flatMap { $0.matches(in: bytes) } }
            ranges += found.map(unescaped.originalRange)
        }
        guard !ranges.isEmpty else { return nil }

        ranges.sort { $0.lowerBound < $1.lowerBound }
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var hiddenUpTo = 0
        for range in ranges where range.upperBound > hiddenUpTo {
            if range.lowerBound >= hiddenUpTo {
                result.append(contentsOf: text[hiddenUpTo..<range.lowerBound])
                result.append(contentsOf: mask.utf8)
            }
            hiddenUpTo = range.upperBound
        }
        result.append(contentsOf: text[hiddenUpTo...])
        return result
    }

    /// Recursive, as deep as the value: a value's depth is limited where it is read.
    private static func redact(_ json: JSON, _ automata: [PatternAutomaton], _ secrets: Set<String>) -> JSON? {
        switch json {
        case .null, .bool: return nil
        case .number(let number): return secrets.contains(number.text) ? .string(mask) : nil
        case .string(let string): return redact(string, automata).map(JSON.string)
        case .array(var elements):
            var changed = false
            for index in elements.indices {
                guard let element = redact(elements[index], automata, secrets) else { continue }
                elements[index] = element
                changed = true
            }
            return changed ? .array(elements) : nil
        case .object(let object): return redact(object, automata, secrets).map(JSON.object)
        }
    }

    private static func redact(
        _ object: JSONObject,
        _ automata: [PatternAutomaton],
        _ secrets: Set<String>
    ) -> JSONObject? {
        let members = object.map { member in
            (name: redact(member.name, automata), value: redact(member.value, automata, secrets))
        }
        guard members.contains(where: { $0.name != nil || $0.value != nil }) else { return nil }
        var result = JSONObject()
        for (old, new) in zip(object, members) {
            var name = new.name ?? old.name
            // Two names may differ in nothing but their secrets; both members stay.
            while new.name != nil, result[name] != nil { name += "*" }
            result[name] = new.value ?? old.value
        }
        return result
    }
}
