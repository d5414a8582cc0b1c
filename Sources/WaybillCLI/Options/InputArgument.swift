import ArgumentParser

/// A value for an input, written NAME=VALUE.
struct InputArgument: ExpressibleByArgument {
    let name: String
    let text: String

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else { return nil }
        name = String(argument[..<equals])
        text = String(argument[equals...].dropFirst())
    }
}
