import Synchronization
package import WaybillJSON

/// Takes secrets out of texts: every registered value is replaced by `***`, however it is spelled.
///
/// A secret is found as it is, percent-encoded (in either case of the digits, with any choice of characters left as they
/// are) or form-encoded, with JSON's or HTML's escapes, in any two of these one inside the other, in hexadecimal digits, in
/// base64 (either alphabet, padded or not, alone or anywhere inside a longer text that was encoded), in UTF-16 and ISO-8859-1
/// (a short one in UTF-8 only), and in lower case in a host name. Where matches overlap, all that they cover goes. A secret of fewer than six bytes is found only where it is a
/// whole value; see `ShortSecrets`. A text is read once for each kind of escape that occurs in it, and once more for each
/// kind inside that, whatever the number of secrets; without secrets nothing is read.
package final class Redactor: Sendable {
    /// What stands in place of a secret.
    package static let mask = "***"
    /// The number of bytes that a secret may have: its patterns are up to nine times as many, and are all in memory.
    package static let longestSecret = 64 << 10

    /// Some secrets and the automata that find them.
    private struct Generation {
        var secrets: [String]
        var automaton: PatternAutomaton
        var hosts: PatternAutomaton?
    }

    private struct State {
        var secrets: Set<String> = []
        /// Largest first. A few generations instead of one, so that registering many secrets one by one, as a forEach
        /// that logs in does, costs n log n and not n².
        var generations: [Generation] = []
        var short = ShortSecrets()
        /// Where short secrets are from, each source once.
        var shortSources: [String] = []
        var finder: Finder?
    }

    /// The number of secrets up to which one automaton is simply built anew.
    private static let smallGeneration = 16

    private let state = Mutex(State())

    /// A redactor without secrets.
    package init() {}

    /// Adds a secret: texts redacted from now on do not show it. An empty one is ignored.
    ///
    /// - Parameter source: Where the secret is from, in words for a person, to be noted if it is a short one.
    /// - Returns: `false` for a secret that is too long (see `longestSecret`): it must not be used.
    @discardableResult
    package func register(_ secret: String, from source: @autoclosure () -> String? = nil) -> Bool {
        guard !secret.isEmpty else { return true }
        guard secret.utf8.count <= Self.longestSecret else { return false }
        state.withLock { state in
            guard !state.secrets.contains(secret) else { return }
            // Before the set changes, which would have to be copied for it.
            state.finder = nil
            state.secrets.insert(secret)
            if ShortSecrets.contains(secret) {
                if let source = source(), !state.shortSources.contains(source) { state.shortSources.append(source) }
                return state.short.insert(secret)
            }
            var secrets = [secret]
            while let last = state.generations.last, last.secrets.count <= max(secrets.count, Self.smallGeneration) {
                secrets += last.secrets
                state.generations.removeLast()
            }
            let hosts = secrets.compactMap(HostNames.pattern)
            state.generations.append(
                Generation(
                    secrets: secrets,
                    automaton: PatternAutomaton(secrets.lazy.flatMap(Self.patterns)),
                    hosts: hosts.isEmpty ? nil : PatternAutomaton(hosts)
                )
            )
        }
        return true
    }

    /// Where those secrets are from, as far as it was said, that are so short that they are found only where they are a whole value, each source once.
    package var sourcesOfShortSecrets: [String] { state.withLock(\.shortSources) }

    /// The text without secrets.
    package func redact(_ text: String) -> String { finder?.redact(text) ?? text }

    /// The bytes without secrets; text in any encoding that contains ASCII, or binary.
    package func redact(_ bytes: [UInt8]) -> [UInt8] { finder?.redact(bytes) ?? bytes }

    /// The value without secrets in its strings and names; a number that is written exactly as a secret becomes `"***"`.
    package func redact(_ json: JSON) -> JSON { finder?.redact(json) ?? json }

    /// The value without long secrets, for what is the data of a run: a short secret may occur in it by chance. `nil` where
    /// nothing was redacted.
    func redactedData(_ json: JSON) -> JSON? { dataFinder?.redact(json) }

    private var dataFinder: Finder? {
        var finder = finder
        finder?.isForData = true
        return finder
    }

    /// What finds the secrets; `nil` where there are none. Everything that is reported asks.
    private var finder: Finder? {
        state.withLock { state in
            if state.finder == nil, !state.secrets.isEmpty {
                state.finder = Finder(
                    secrets: state.secrets,
                    automata: state.generations.map(\.automaton),
                    hosts: state.generations.compactMap(\.hosts),
                    short: state.short
                )
            }
            return state.finder
        }
    }

    private static func patterns(of secret: String) -> [PatternAutomaton.Pattern] {
        let bytes = Array(secret.utf8)
        let encoded = OtherEncodings.patterns(of: secret)
        return [PatternAutomaton.Pattern(bytes: bytes)] + encoded + Base64Patterns.patterns(of: bytes)
    }
}

extension Redactor {
    /// Finds the secrets that a redactor knew at some time. Its functions return `nil` where there is nothing to redact, so
    /// that what is clean is never copied.
    fileprivate struct Finder: Sendable {
        var secrets: Set<String>
        var automata: [PatternAutomaton]
        var hosts: [PatternAutomaton]
        var short: ShortSecrets
        /// Whether only long secrets are found.
        var isForData = false

        /// How many escapes one inside the other are undone.
        private static let depth = 2

        func redact(_ text: String) -> String? {
            var text = text
            return text.withUTF8(redact).map { String(decoding: $0, as: UTF8.self) }
        }

        func redact(_ bytes: [UInt8]) -> [UInt8]? { bytes.withUnsafeBufferPointer(redact) }

        private func redact(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
            var ranges = matches(in: text, depth: Self.depth)
            guard !ranges.isEmpty else { return nil }
            ranges.sort { $0.lowerBound < $1.lowerBound }
            var result: [UInt8] = []
            result.reserveCapacity(text.count)
            var hiddenUpTo = 0
            for range in ranges where range.upperBound > hiddenUpTo {
                if range.lowerBound >= hiddenUpTo {
                    result.append(contentsOf: text[hiddenUpTo..<range.lowerBound])
                    result.append(contentsOf: OtherEncodings.mask(for: text[range]))
                }
                hiddenUpTo = range.upperBound
            }
            result.append(contentsOf: text[hiddenUpTo...])
            return result
        }

        private func matches(in text: UnsafeBufferPointer<UInt8>, depth: Int) -> [Range<Int>] {
            var ranges = automata.flatMap { $0.matches(in: text) } + hexMatches(in: text)
            if !isForData {
                ranges += short.matches(in: text)
                if !hosts.isEmpty { ranges += hostMatches(in: text) }
            }
            guard depth > 0 else { return ranges }
            for escapes in Unescaped.Escapes.allCases {
                guard let unescaped = Unescaped(text, escapes) else { continue }
                let found = unescaped.bytes.withUnsafeBufferPointer { matches(in: $0, depth: depth - 1) }
                ranges += found.map(unescaped.originalRange)
            }
            return ranges
        }

        /// The matches in what digits mean, from each of the two that may be the first of a byte.
        private func hexMatches(in text: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
            HexDigits.ranges(in: text, atLeast: 2 * ShortSecrets.limit).flatMap { digits in
                [digits.lowerBound, digits.lowerBound + 1].flatMap { start -> [Range<Int>] in
                    let bytes = HexDigits.bytes(start..<digits.upperBound, of: text)
                    return bytes.withUnsafeBufferPointer { bytes in automata.flatMap { $0.matches(in: bytes) } }.map {
                        (start + 2 * $0.lowerBound)..<(start + 2 * $0.upperBound)
                    }
                }
            }
        }

        private func hostMatches(in text: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
            HostNames.ranges(in: text).flatMap { host -> [Range<Int>] in
                let name = UnsafeBufferPointer(rebasing: text[host])
                return hosts.flatMap { $0.matches(in: name) }.map {
                    ($0.lowerBound + host.lowerBound)..<($0.upperBound + host.lowerBound)
                }
            }
        }

        /// Recursive, as deep as the value: a value's depth is limited where it is read.
        func redact(_ json: JSON) -> JSON? {
            switch json {
            case .null, .bool: return nil
            case .number(let number):
                let isFound = secrets.contains(number.text) && !(isForData && ShortSecrets.contains(number.text))
                return isFound ? .string(mask) : nil
            case .string(let string): return redact(string).map(JSON.string)
            case .bytes(let bytes): return redact(bytes).map(JSON.bytes)
            case .array(var elements):
                var changed = false
                for index in elements.indices {
                    guard let element = redact(elements[index]) else { continue }
                    elements[index] = element
                    changed = true
                }
                return changed ? .array(elements) : nil
            case .object(let object): return redact(object).map(JSON.object)
            }
        }

        private func redact(_ object: JSONObject) -> JSONObject? {
            let members = object.map { (name: redact($0.name), value: redact($0.value)) }
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
}
