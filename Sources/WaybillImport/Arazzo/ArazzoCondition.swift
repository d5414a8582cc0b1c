import WaybillJSON

/// A simple condition (Arazzo 1.1.0, section "Criterion Object").
indirect enum ArazzoCondition {
    case literal(JSON)
    case expression(String)
    case comparison(String, ArazzoCondition, ArazzoCondition)
    case not(ArazzoCondition)
    case and(ArazzoCondition, ArazzoCondition)
    case or(ArazzoCondition, ArazzoCondition)

    /// Parses a condition.
    init(parsing text: String) throws(Untranslatable) {
        var parser = ArazzoConditionParser(text)
        self = try parser.condition()
    }

    /// The conditions that must all hold.
    var conjuncts: [ArazzoCondition] {
        if case .and(let left, let right) = self { left.conjuncts + right.conjuncts } else { [self] }
    }

    /// Returns whether the condition holds for a status, if it depends on the status only.
    func holds(status: Int) -> Bool? {
        switch self {
        case .literal(.bool(let value)): return value
        case .literal, .expression: return nil
        case .not(let inner): return inner.holds(status: status).map { !$0 }
        case .and(let left, let right):
            guard let left = left.holds(status: status), let right = right.holds(status: status) else { return nil }
            return left && right
        case .or(let left, let right):
            guard let left = left.holds(status: status), let right = right.holds(status: status) else { return nil }
            return left || right
        case .comparison(let operation, .expression("$statusCode"), .literal(let value)):
            return value.statusNumber.flatMap { Self.compare(Double(status), operation, $0) }
        case .comparison(let operation, .literal(let value), .expression("$statusCode")):
            return value.statusNumber.flatMap { Self.compare($0, operation, Double(status)) }
        case .comparison: return nil
        }
    }

    private static func compare(_ left: Double, _ operation: String, _ right: Double) -> Bool? {
        switch operation {
        case "==": left == right
        case "!=": left != right
        case "<": left < right
        case "<=": left <= right
        case ">": left > right
        default: left >= right
        }
    }
}

extension JSON {
    /// The number, also one in a string.
    fileprivate var statusNumber: Double? { number?.double ?? string.flatMap(Double.init) }
}

/// The statuses that a condition accepts.
enum StatusSet {
    /// All of final responses (RFC 9110, section 15.2).
    static let all = Set(200...599)
    /// What Waybill expects without a condition.
    static let success = Set(200...299)

    /// Returns the statuses as codes and classes; nil if there would be too many.
    static func patterns(_ codes: Set<Int>) -> [String]? {
        var result: [String] = []
        for hundred in 2...5 {
            let members = codes.filter { $0 / 100 == hundred }
            if members.count == 100 {
                result.append("\(hundred)xx")
            } else {
                result += members.sorted().map { "\($0)" }
            }
        }
        return result.isEmpty || result.count > 8 ? nil : result
    }
}

/// Parses simple conditions.
private struct ArazzoConditionParser: TextScanner {
    let bytes: [UInt8]
    var position = 0
    private var depth = 0
    private var count = 0
    private static let maximumDepth = 100
    private static let maximumCount = 500

    init(_ text: String) { bytes = Array(text.utf8) }

    private mutating func skipBlanks() { read { " \t\n\r".unicodeScalars.contains($0) } }

    /// Reads an operator after blanks, if it is there.
    private mutating func accept(_ mark: String) -> Bool {
        skipBlanks()
        return take(mark)
    }

    mutating func condition() throws(Untranslatable) -> ArazzoCondition {
        let result = try disjunction()
        skipBlanks()
        guard next == nil else { throw Untranslatable("'\(text(position..<bytes.count))' is not understood") }
        return result
    }

    private mutating func disjunction() throws(Untranslatable) -> ArazzoCondition {
        var result = try conjunction()
        while accept("||") { result = .or(result, try conjunction()) }
        return result
    }

    private mutating func conjunction() throws(Untranslatable) -> ArazzoCondition {
        var result = try comparison()
        while accept("&&") { result = .and(result, try comparison()) }
        return result
    }

    private mutating func comparison() throws(Untranslatable) -> ArazzoCondition {
        (depth, count) = (depth + 1, count + 1)
        defer { depth -= 1 }
        guard depth < Self.maximumDepth, count < Self.maximumCount else { throw Untranslatable("it is too long") }
        let left = try operand()
        for operation in ["===", "!==", "==", "!=", "<=", ">=", "<", ">"] where accept(operation) {
            return .comparison(String(operation.prefix(2)), left, try operand())
        }
        return left
    }

    private mutating func operand() throws(Untranslatable) -> ArazzoCondition {
        if accept("!") { return .not(try comparison()) }
        if take("(") {
            let inner = try disjunction()
            guard accept(")") else { throw Untranslatable("a ')' is missing") }
            return inner
        }
        guard let next else { throw Untranslatable("a value is missing at its end") }
        if next == "'" || next == "\"" { return .literal(.string(try string(next))) }
        if next == "$" || next == "{" { return .expression(runtimeExpression()) }
        let word = read {
            NameForms.isLetter($0) || NameForms.isDigit($0) || $0.value > 127 || "+-._".unicodeScalars.contains($0)
        }
        guard let json = try? JSONParser().parse(word.utf8), json.string == nil else {
            throw Untranslatable("'\(word.isEmpty ? String(next) : word)' is not understood")
        }
        return .literal(json)
    }

    /// A string: a quote in it is written twice.
    private mutating func string(_ quote: Unicode.Scalar) throws(Untranslatable) -> String {
        var result: [UInt8] = []
        position += 1
        while next != nil {
            if take("\(quote)"), !has("\(quote)") { return String(decoding: result, as: UTF8.self) }
            if quote == "\"", take("\\") {
                if let control = readControl("n") {
                    result.append(control)
                    continue
                }
            }
            if next != nil { result.append(bytes[position]) }
            advance()
        }
        throw Untranslatable("the string has no end")
    }

    private mutating func runtimeExpression() -> String {
        var isInBrackets = false
        let text = read { scalar in
            if scalar == "[" { isInBrackets = true }
            defer { if scalar == "]" { isInBrackets = false } }
            return isInBrackets || !" \t\n\r=!<>&|(),".unicodeScalars.contains(scalar)
        }
        return text.hasPrefix("{") && text.hasSuffix("}") ? String(text.dropFirst().dropLast()) : text
    }
}
