/// Punycode (RFC 3492): Unicode labels written with the letters, digits and hyphens of host names.
enum Punycode {
    /// Returns the scalars that a label represents; `nil` if it is malformed, or longer than a label can be.
    static func decoded(_ text: Substring) -> [Unicode.Scalar]? {
        guard text.utf8.count <= 63 else { return nil }
        var output: [Unicode.Scalar] = []
        var rest = Array(text.utf8)[...]
        if let hyphen = rest.lastIndex(of: UInt8(ascii: "-")) {
            output = rest[..<hyphen].map { Unicode.Scalar($0) }
            rest = rest[(hyphen + 1)...]
        }
        var state = State()
        while !rest.isEmpty {
            var delta = state.position
            var weight = 1
            var step = State.base
            while true {
                guard let digit = rest.popFirst().flatMap(digit(of:)) else { return nil }
                let (product, isTooLarge) = digit.multipliedReportingOverflow(by: weight)
                let (sum, isTooFar) = delta.addingReportingOverflow(product)
                guard !isTooLarge, !isTooFar else { return nil }
                delta = sum
                let threshold = state.threshold(step)
                if digit < threshold { break }
                let (next, isTooHeavy) = weight.multipliedReportingOverflow(by: State.base - threshold)
                guard !isTooHeavy else { return nil }
                weight = next
                step += State.base
            }
            let count = output.count + 1
            state.adapt(delta - state.position, count, isFirst: output.isEmpty || state.isFirst)
            state.isFirst = false
            state.value += delta / count
            guard let value = UInt32(exactly: state.value), let scalar = Unicode.Scalar(value) else { return nil }
            output.insert(scalar, at: delta % count)
            state.position = delta % count + 1
        }
        return output
    }

    /// Returns the encoding of a label's scalars, without the prefix `xn--`; `nil` if it is longer than a label can be.
    static func encoded(_ scalars: [Unicode.Scalar]) -> String? {
        guard scalars.count <= 63 else { return nil }
        var output = scalars.filter(\.isASCII).map { UInt8($0.value) }
        var handled = output.count
        let basic = handled
        if basic > 0 { output.append(UInt8(ascii: "-")) }
        var state = State()
        var delta = 0
        while handled < scalars.count {
            guard let next = scalars.map({ Int($0.value) }).filter({ $0 >= state.value }).min() else { return nil }
            delta += (next - state.value) * (handled + 1)
            state.value = next
            for scalar in scalars {
                if scalar.value < next { delta += 1 }
                guard scalar.value == next else { continue }
                appendInteger(delta, to: &output, state)
                state.adapt(delta, handled + 1, isFirst: handled == basic)
                delta = 0
                handled += 1
            }
            delta += 1
            state.value += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func appendInteger(_ delta: Int, to output: inout [UInt8], _ state: State) {
        var rest = delta
        var step = State.base
        while rest >= state.threshold(step) {
            let threshold = state.threshold(step)
            output.append(digit(threshold + (rest - threshold) % (State.base - threshold)))
            rest = (rest - threshold) / (State.base - threshold)
            step += State.base
        }
        output.append(digit(rest))
    }

    private static func digit(of byte: UInt8) -> Int? {
        switch byte {
        case 0x30...0x39: Int(byte) - 0x30 + 26
        case 0x41...0x5A: Int(byte) - 0x41
        case 0x61...0x7A: Int(byte) - 0x61
        default: nil
        }
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(value < 26 ? 0x61 + value : 0x30 + value - 26)
    }

    /// The state variables of RFC 3492, section 6.
    private struct State {
        static let base = 36
        var value = 128
        var position = 0
        var bias = 72
        var isFirst = true

        func threshold(_ step: Int) -> Int {
            min(max(step - bias, 1), 26)
        }

        mutating func adapt(_ delta: Int, _ count: Int, isFirst: Bool) {
            var delta = isFirst ? delta / 700 : delta / 2
            delta += delta / count
            var step = 0
            while delta > 455 {
                delta /= 35
                step += Self.base
            }
            bias = step + 36 * delta / (delta + 38)
        }
    }
}
