/// Makes names of a manifest from the names of a source.
package enum NameForms {
    /// The maximum length of a name, in characters.
    private static let maximum = 40

    /// Returns an id from words, as `getUserById`; nil if the text has no ASCII letters or digits.
    static func identifier(_ text: String) -> String? {
        var result = ""
        for word in words(text) {
            let next = result.isEmpty ? decapitalized(word) : capitalized(word)
            if !result.isEmpty, result.count + next.count > maximum { break }
            result += next.prefix(maximum)
        }
        guard let first = result.utf8.first else { return nil }
        return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) ? "_" + result : result
    }

    /// Returns a name with the characters of an id that keeps its own form: `base_url` stays as it is.
    static func kept(_ text: String) -> String? {
        guard let first = text.unicodeScalars.first, isLetter(first) || first == "_",
            text.unicodeScalars.allSatisfy({ isLetter($0) || isDigit($0) || $0 == "_" || $0 == "-" })
        else { return identifier(text) }
        return text
    }

    /// Variables that the system, the shell or programs set themselves.
    package static let takenVariables: Set<String> = [
        "EDITOR", "HOME", "HOST", "HOSTNAME", "IFS", "LANG", "LANGUAGE", "LOGNAME", "MAIL", "OLDPWD", "PATH", "PPID",
        "PWD", "RANDOM", "SECONDS", "SHELL", "TERM", "TMPDIR", "TZ", "UID", "USER",
    ]

    /// Returns the name of an environment variable: `API_KEY` for `apiKey`.
    static func environmentVariable(_ name: String) -> String {
        let variable = parts(name).map { $0.uppercased() }.joined(separator: "_")
        return takenVariables.contains(variable) ? "SECRET_\(variable)" : variable
    }

    /// The words of a text: its parts of ASCII letters and digits.
    static func words(_ text: String) -> [String] {
        // Apostrophes are parts of words: `user's` is one.
        let text = text.unicodeScalars.filter { $0 != "'" && $0 != "\u{2019}" }
        return text.split { !isLetter($0) && !isDigit($0) }.map { String(String.UnicodeScalarView($0)) }
    }

    /// The words of a text, also those of camel case: `client`, `secret` for `clientSecret`.
    static func parts(_ text: String) -> [String] {
        var result: [String] = []
        for word in words(text) {
            var current = ""
            var earlier: Unicode.Scalar?
            let scalars = Array(word.unicodeScalars)
            for (index, scalar) in scalars.enumerated() {
                let next = index + 1 < scalars.count ? scalars[index + 1] : nil
                if isUpper(scalar), let last = earlier,
                    !isUpper(last) || next.map({ !isUpper($0) && isLetter($0) }) ?? false
                {
                    if !current.isEmpty { result.append(current) }
                    current = ""
                }
                current.unicodeScalars.append(scalar)
                earlier = scalar
            }
            result.append(current)
        }
        return result
    }

    private static func decapitalized(_ word: String) -> String {
        // `URL` and `GET` become lower case, `getUser` stays.
        word.unicodeScalars.allSatisfy { isUpper($0) || isDigit($0) }
            ? word.lowercased() : word.prefix(1).lowercased() + word.dropFirst()
    }

    private static func capitalized(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }

    static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }

    static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static func isUpper(_ scalar: Unicode.Scalar) -> Bool { ("A"..."Z").contains(scalar) }
}

/// Names that differ from each other.
struct UniqueNames {
    private var taken: Set<String> = []
    /// The number to try next, by name.
    private var numbers: [String: Int] = [:]

    /// Returns the name, or the name with the first number that makes it new: `order2`.
    mutating func add(_ name: String) -> String {
        var result = name
        while !taken.insert(result).inserted {
            let number = numbers[name, default: 2]
            result = "\(name)\(number)"
            numbers[name] = number + 1
        }
        return result
    }
}
