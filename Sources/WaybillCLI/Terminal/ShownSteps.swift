import WaybillDiagnostics
import WaybillResults

/// The steps and elements that `waybill show --step` names.
struct ShownSteps {
    /// The path of an element of a `forEach`, such as `main.items[3]`.
    struct Element: Equatable {
        /// The path of the `forEach`.
        var step: String
        /// The index of the element.
        var index: Int
    }

    /// The ids and paths; if empty, all steps are shown.
    let names: [String]

    /// Returns whether a step is shown, because it is named or in a group or graph that is.
    func contains(_ step: StepResult) -> Bool {
        names.isEmpty || !Self.names(of: step).isDisjoint(with: names)
    }

    /// Returns the elements of a step that are named.
    func elements(of step: StepResult) -> [Int] {
        guard let count = step.elements?.count else { return [] }
        return names.compactMap(Self.element).filter { element in
            (element.step == step.path || element.step == step.id) && element.index < count
        }.map(\.index)
    }

    /// Returns the first name that no step or element of some runs has.
    func unknown(in steps: [StepResult]) -> String? {
        names.first { name in
            let shown = ShownSteps(names: [name])
            return !steps.contains { shown.contains($0) || !shown.elements(of: $0).isEmpty }
        }
    }

    /// Returns the error for a name that no step has.
    static func error(for name: String, in steps: [StepResult]) -> Diagnostic {
        let element = element(name)
        if let step = steps.first(where: { $0.elements != nil && [$0.path, $0.id].contains(element?.step) }) {
            let count = step.elements?.count ?? 0
            let elements = count == 1 ? "1 element" : "\(count) elements"
            let help = "'\(step.path)' has \(elements); the first one is '\(step.path)[0]'."
            return Diagnostic("unknown-step", "no element of the run is named '\(name)'", at: nil, help: [help])
        }
        let names = steps.reduce(into: Set<String>()) { $0.formUnion(Self.names(of: $1)) }
        let nearest = NearestName.of(name, among: names.sorted()).map { "Did you mean '\($0)'?" }
        let paths = steps.prefix(12).map { "'\($0.path)'" }.joined(separator: ", ")
        let all = steps.count > 12 ? "The first steps of the run are" : "The steps of the run are"
        let help = nearest ?? (steps.isEmpty ? "No step of the run has finished." : "\(all) \(paths).")
        return Diagnostic("unknown-step", "no step of the run is named '\(name)'", at: nil, help: [help])
    }

    /// The id and path of a step, and those of the groups and the graph that contain it.
    private static func names(of step: StepResult) -> Set<String> {
        var names: Set<String> = [step.id, step.path]
        for end in step.path.indices where step.path[end] == "." {
            let path = step.path[..<end]
            names.insert(String(path))
            names.formUnion(path.split(separator: ".").last.map { [String($0)] } ?? [])
        }
        return names
    }

    /// Returns the outermost element in a path: `main.items[3]` of `main.items[3].get`.
    private static func element(_ path: String) -> Element? {
        guard let start = path.firstIndex(of: "["), let end = path[start...].firstIndex(of: "]"),
            let index = Int(path[path.index(after: start)..<end]), index >= 0
        else { return nil }
        return Element(step: String(path[..<start]), index: index)
    }
}
