import WaybillJSON

/// The number of steps that reading values takes, so that a filter that reads them for each element stays within the
/// limit.
enum Cost {
    /// Returns the steps for comparing two values.
    static func ofComparing(_ left: JSON, _ right: JSON) -> Int {
        switch (left, right) {
        case (.number(let left), .number(let right)): (left.lengthLimit + right.lengthLimit) / bytesPerStep
        case (.string(let left), .string(let right)): min(left.utf8.count, right.utf8.count) / bytesPerStep
        case (.bytes(let left), .bytes(let right)): min(left.count, right.count) / bytesPerStep
        case (.array(let elements), .array(let others)): elements.count == others.count ? size(left) : 0
        case (.object(let object), .object(let other)): object.count == other.count ? size(left) : 0
        default: 0
        }
    }

    /// Returns the steps for what a function does with an argument.
    static func ofReading(_ value: JSON, _ work: ExpressionFunction.Work) -> Int {
        switch (value, work) {
        case (.string(let text), _): text.utf8.count / bytesPerStep
        case (.bytes(let bytes), _): bytes.count / bytesPerStep
        case (.array(let elements), .elements): elements.count
        case (.object(let object), .elements): object.count
        case (.array, .everything), (.object, .everything): size(value)
        default: 0
        }
    }

    private static let bytesPerStep = 16

    /// Returns the number of values within a value; a long string counts as several.
    private static func size(_ value: JSON) -> Int {
        var size = 0
        var pending = [value]
        while let value = pending.popLast() {
            size += 1
            switch value {
            case .array(let elements): pending += elements
            case .object(let object): pending += object.lazy.map(\.value)
            case .string(let text): size += text.utf8.count / bytesPerStep
            case .bytes(let bytes): size += bytes.count / bytesPerStep
            default: break
            }
        }
        return size
    }
}
