import Synchronization
package import WaybillJSON

/// Removes secrets from texts: every registered value is replaced by `***`, however it is spelled.
///
/// A secret is found in these spellings: unchanged; percent-encoded (with digits in either case, and with any choice of
/// unencoded characters) or form-encoded; with JSON or HTML escapes; with any two of these nested, and up to six times
/// those of JSON, as in a log that has logs as strings; with the doubled
/// quotes of CSV; in hexadecimal; in Base64 (either alphabet, padded or not, folded or not, alone or anywhere inside a
/// longer text that was encoded), also with JSON escapes or Base64 inside; in the normalisation forms C and D of Unicode;
/// in UTF-16, also with escapes, and ISO-8859-1 (a short one in UTF-8 only); and in
/// lowercase in a host name. Overlapping matches are removed entirely. A secret of fewer than six bytes is found only if
/// it is a whole value; see `ShortSecrets`. The start of a secret is found before a `…`, where an excerpt may have cut
/// it. A text is read once for each kind of escape that occurs in it, and once more for each kind nested inside,
/// whatever the number of secrets. Without secrets, nothing is
/// read.
package final class Redactor: Sendable {
    /// The replacement for a secret.
    package static let mask = "***"
    /// The maximum size of a secret in bytes. Its patterns take up to nine times as much memory.
    package static let longestSecret = 64 << 10
    /// The maximum number of secrets, and of their bytes.
    package static let maximumCount = 100_000
    private static let maximumBytes = 16 << 20

    /// The size in bytes from which a secret takes so long that it is not added once the task must stop.
    private static let largeSecret = 4 << 10

    /// The minimum size in bytes of a line of a secret that is found by itself.
    private static let shortestLine = 8

    /// A secret, and whether it is found in nested encodings.
    private struct Secret {
        let text: String
        let hasNestedForms: Bool
    }

    /// Some secrets, and the automata that find them.
    private struct Generation {
        var secrets: [Secret]
        var automaton: PatternAutomaton
        var hosts: PatternAutomaton?
    }

    private struct State {
        var secrets: Set<CodePoints> = []
        /// The number of bytes of all secrets, and of those that are found in nested encodings.
        var bytes = 0, nestedBytes = 0
        /// Largest first. With a few generations instead of one, registering n secrets one by one, as a forEach that
        /// logs in does, costs n log n instead of n².
        var generations: [Generation] = []
        var short = ShortSecrets()
        /// The origins of short secrets, each listed once.
        var shortSources: [String] = []
        var finder: Finder?
    }

    /// The number of secrets up to which a single automaton is rebuilt.
    private static let smallGeneration = 16

    private let state = Mutex(State())

    /// Creates a redactor without secrets.
    package init() {}

    /// Adds a secret: texts that are redacted from now on do not show it. An empty secret is ignored.
    ///
    /// - Parameter source: A description of the secret's origin for people, recorded if the secret is short.
    /// - Returns: `false` for a secret that is too long (see `longestSecret`), for one too many, and for a large one if the task
    ///   must stop (`WorkLimit`): it must not be used.
    @discardableResult
    package func register(_ secret: String, from source: @autoclosure () -> String? = nil) -> Bool {
        guard !secret.isEmpty else { return true }
        guard secret.utf8.count <= Self.longestSecret else { return false }
        // A server may repeat a secret of several lines, such as a key in PEM, with other line breaks or indented.
        for line in secret.split(whereSeparator: \.isNewline) where line.utf8.count != secret.utf8.count {
            if line.utf8.count >= Self.shortestLine { register(String(line)) }
        }
        // Blanks at the ends of a header field are not part of its value (RFC 9110, section 5.5).
        let (space, tab) = (UInt8(ascii: " "), UInt8(ascii: "\t"))
        var trimmed = secret.utf8.drop { $0 == space || $0 == tab }
        while let last = trimmed.last, last == space || last == tab { trimmed.removeLast() }
        if trimmed.count != secret.utf8.count { register(String(decoding: Array(trimmed), as: UTF8.self)) }
        for form in NestedEncodings.normalized(secret) { add(form, from: nil) }
        return add(secret, from: source())
    }

    /// Adds a secret in one form.
    @discardableResult
    private func add(_ secret: String, from source: @autoclosure () -> String?) -> Bool {
        state.withLock { state in
            guard !state.secrets.contains(CodePoints(secret)) else { return true }
            // Many tasks may have waited for the lock, each with a secret that takes 0.1 s.
            if secret.utf8.count >= Self.largeSecret, WorkLimit.isReached { return false }
            guard state.secrets.count < Self.maximumCount, state.bytes + secret.utf8.count <= Self.maximumBytes else {
                return false
            }
            state.bytes += secret.utf8.count
            // Before the set changes; otherwise it would be copied.
            state.finder = nil
            state.secrets.insert(CodePoints(secret))
            if ShortSecrets.contains(secret) {
                if let source = source(), !state.shortSources.contains(source) { state.shortSources.append(source) }
                state.short.insert(secret)
                return true
            }
            let size = secret.utf8.count
            let isNested = size <= NestedEncodings.longest && state.nestedBytes + size <= NestedEncodings.maximumBytes
            if isNested { state.nestedBytes += size }
            var secrets = [Secret(text: secret, hasNestedForms: isNested)]
            while let last = state.generations.last, last.secrets.count <= max(secrets.count, Self.smallGeneration) {
                secrets += last.secrets
                state.generations.removeLast()
            }
            let hosts = secrets.map(\.text).compactMap(HostNames.pattern)
            state.generations.append(
                Generation(
                    secrets: secrets,
                    automaton: PatternAutomaton(secrets.lazy.flatMap(Self.patterns)),
                    hosts: hosts.isEmpty ? nil : PatternAutomaton(hosts)
                )
            )
            return true
        }
    }

    /// The known origins of secrets that are so short that they are found only if they are a whole value, each listed
    /// once.
    package var sourcesOfShortSecrets: [String] { state.withLock(\.shortSources) }

    /// Whether a secret is so short that it is found only if it is a whole value.
    package var hasShortSecrets: Bool { state.withLock { !$0.short.isEmpty } }

    /// Returns a string without secrets.
    package func redact(_ text: String) -> String { finder?.redact(text) ?? text }

    /// Returns the bytes of a message body without secrets. They can be text in any encoding that contains ASCII, or
    /// binary data.
    ///
    /// - Throws: If the task must stop (`WorkLimit`) before a long body was searched.
    package func redact(_ body: [UInt8]) throws(SearchStopped) -> [UInt8] {
        var finder = finder
        finder?.limit = .task
        return try finder?.found(in: body) ?? body
    }

    /// Whether bytes contain a secret, or were not searched because the task must stop.
    package func mayFindSecret(in bytes: [UInt8]) -> Bool { (try? redact(bytes)) != bytes }

    /// Returns a value without secrets in its strings and names. A number that is written exactly like a secret becomes
    /// `"***"`.
    package func redact(_ json: JSON) -> JSON { finder?.redact(json) ?? json }

    /// Returns a value without long secrets, for data of a run, which may contain a short secret by chance. Returns
    /// `nil` if nothing was redacted.
    func redactedData(_ json: JSON) -> JSON? { dataFinder?.redact(json) }

    private var dataFinder: Finder? {
        var finder = finder
        finder?.isForData = true
        return finder
    }

    /// The object that finds the secrets; `nil` if there are none. It is read for everything that is reported.
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

    private static func patterns(of known: Secret) -> [PatternAutomaton.Pattern] {
        let secret = known.text
        let bytes = Array(secret.utf8)
        let encoded = OtherEncodings.patterns(of: secret)
        // The names of header fields and of character sets are reported in lower case.
        let lowercased = Array(secret.lowercased().utf8)
        let folded = lowercased == bytes ? [] : [PatternAutomaton.Pattern(bytes: lowercased)]
        // In CSV, quotes are doubled (RFC 4180, section 2).
        let quoted = bytes.flatMap { $0 == UInt8(ascii: "\"") ? [$0, $0] : [$0] }
        let doubled = quoted == bytes ? [] : [PatternAutomaton.Pattern(bytes: quoted)]
        return [PatternAutomaton.Pattern(bytes: bytes)] + folded + doubled + encoded
            + Base64Patterns.patterns(of: bytes)
            + (known.hasNestedForms ? NestedEncodings.patterns(of: secret) : [])
    }
}

extension Redactor {
    /// Finds the secrets that a redactor knew at some time. Its functions return `nil` if there is nothing to redact,
    /// so that clean values are never copied.
    fileprivate struct Finder: Sendable {
        var secrets: Set<CodePoints>
        var automata: [PatternAutomaton]
        var hosts: [PatternAutomaton]
        var short: ShortSecrets
        /// Whether only long secrets are found.
        var isForData = false
        /// When a search stops.
        var limit = SearchLimit.deadline

        /// The maximum number of nested escapes that are undone, and of those of JSON after them.
        private static let depth = 2, jsonDepth = 4

        func redact(_ text: String) -> String? {
            redact(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
        }

        /// A long text is masked as a whole if the deadline of the step has passed before it was searched.
        func redact(_ text: [UInt8]) -> [UInt8]? {
            do throws(SearchStopped) {
                return try found(in: text)
            } catch {
                return Array(mask.utf8)
            }
        }

        /// Returns a text without its secrets; `nil` if it has none.
        func found(in text: [UInt8]) throws(SearchStopped) -> [UInt8]? {
            var ranges = try matches(in: text, depth: Self.depth) + matches(inUTF16: text)
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

        private func matches(in text: [UInt8], depth: Int) throws(SearchStopped) -> [Range<Int>] {
            var ranges = try matches(of: automata, in: text) + hexMatches(in: text)
            if !isForData {
                ranges += short.matches(in: text)
                if !hosts.isEmpty { ranges += try hostMatches(in: text) }
            }
            guard depth > -Self.jsonDepth else { return ranges }
            for escapes in depth > 0 ? Unescaped.Escapes.allCases : [.json] {
                guard let unescaped = Unescaped(text, escapes) else { continue }
                ranges += try matches(in: unescaped.bytes, depth: depth - 1).map(unescaped.originalRange)
            }
            return ranges
        }

        private func matches(
            of automata: [PatternAutomaton],
            in text: [UInt8],
            isCutAtEnd: Bool = false
        ) throws(SearchStopped) -> [Range<Int>] {
            var ranges: [Range<Int>] = []
            for automaton in automata {
                ranges += try automaton.matches(in: text, isCutAtEnd: isCutAtEnd, until: limit)
            }
            return ranges
        }

        /// Returns the matches with escapes in a text in UTF-16.
        private func matches(inUTF16 text: [UInt8]) throws(SearchStopped) -> [Range<Int>] {
            guard let narrowed = OtherEncodings.Narrowed(text) else { return [] }
            // Short secrets are found in UTF-8 only.
            var finder = self
            finder.isForData = true
            return try finder.matches(in: narrowed.bytes, depth: Self.depth).map(narrowed.originalRange)
        }

        /// Returns the matches in the bytes that digits represent, for both ways of pairing the digits.
        private func hexMatches(in text: [UInt8]) throws(SearchStopped) -> [Range<Int>] {
            var matches: [Range<Int>] = []
            for digits in HexDigits.ranges(in: text, atLeast: 2 * ShortSecrets.limit) {
                let isCut = text[digits.upperBound...].starts(with: "…".utf8)
                for start in [digits.lowerBound, digits.lowerBound + 1] {
                    let bytes = HexDigits.bytes(start..<digits.upperBound, of: text)
                    for match in try self.matches(of: automata, in: bytes, isCutAtEnd: isCut) {
                        matches.append((start + 2 * match.lowerBound)..<(start + 2 * match.upperBound))
                    }
                }
            }
            return matches
        }

        private func hostMatches(in text: [UInt8]) throws(SearchStopped) -> [Range<Int>] {
            var matches: [Range<Int>] = []
            for host in HostNames.ranges(in: text) {
                for match in try self.matches(of: hosts, in: Array(text[host])) {
                    matches.append((match.lowerBound + host.lowerBound)..<(match.upperBound + host.lowerBound))
                }
            }
            return matches
        }

        /// Recursive, to the depth of the value, which is limited when it is parsed. Once the deadline of the step has
        /// passed, large parts of data are masked: the step fails, and nothing uses them.
        func redact(_ json: JSON) -> JSON? {
            switch json {
            case .null, .bool: return nil
            case .number(let number):
                let text = number.text
                let isFound = secrets.contains(CodePoints(text)) && !(isForData && ShortSecrets.contains(text))
                return isFound ? .string(mask) : nil
            case .string(let string): return redact(string).map(JSON.string)
            case .bytes(let bytes): return redact(bytes).map(JSON.bytes)
            case .array(let elements): return redact(elements)
            case .object(let object):
                return mustStop(before: object.count) ? .string(mask) : redact(object).map(JSON.object)
            }
        }

        private func mustStop(before count: Int) -> Bool {
            isForData && count >= Self.largePart && WorkLimit.isDeadlinePassed
        }

        /// The number of elements or members from which on a part is large.
        private static let largePart = 64

        private func redact(_ list: [JSON]) -> JSON? {
            var elements = list
            var changed = false
            for index in elements.indices {
                if index % Self.largePart == 0, mustStop(before: elements.count) { return .string(mask) }
                guard let element = redact(elements[index]) else { continue }
                elements[index] = element
                changed = true
            }
            return changed ? .array(elements) : nil
        }

        private func redact(_ object: JSONObject) -> JSONObject? {
            let members = object.map { (name: redact($0.name), value: redact($0.value)) }
            guard members.contains(where: { $0.name != nil || $0.value != nil }) else { return nil }
            var result = JSONObject()
            for (old, new) in zip(object, members) {
                var name = new.name ?? old.name
                // Two names may differ only in their secrets; both members are kept.
                while new.name != nil, result[name] != nil { name += "*" }
                result[name] = new.value ?? old.value
            }
            return result
        }
    }
}
