import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults

/// The outcomes of the elements that finished before the run was resumed.
extension ForEachRunner {
    /// How the elements that finished before the run was resumed have changed; `nil` if they have not.
    func change(in source: ElementSource) -> String? {
        for (index, before) in earlier?.elements.sorted(by: { $0.key < $1.key }) ?? [] {
            let done = "element \(index) finished before the run was resumed"
            guard index < source.count else {
                return "\(done), but the list now has only \(source.count) elements"
            }
            do throws(EvaluationFailure) {
                let element = try source.element(index)
                // The journal has no digest of an element that is a secret; see `ResumeDecision.restartedSteps`.
                if before.digest == element.digest || before.digest == nil && element.isSecret { continue }
                return "element \(index) differs from the one that the run started with"
            } catch {
                return "\(done), but can no longer be evaluated: \(error.message)"
            }
        }
        return nil
    }

    /// The outcome of an element that finished before the run was resumed and has not changed.
    func take(_ before: EarlierElements.Element, at index: Int, of source: ElementSource) -> ElementOutcome {
        do throws(EvaluationFailure) {
            let element = try source.element(index)
            var result = ElementOutcome(index: index, end: before.outcome == .passed ? .passed : .failed)
            if let before = before.described { (result.failure, result.subject) = (before.failure, before.subject) }
            result.use = before.use
            if step.keeps.contains(.items) {
                // The journal has no record of an element that passed if nothing uses its results.
                var record =
                    before.record.map { StepRecord(kept: $0.value) } ?? StepRecord(isPassed: before.outcome == .passed)
                // The earlier run had memory for it.
                try? context.keep(record.values, in: &record.memory, at: step.span)
                result.record = ElementRecord(item: element, record: record)
            }
            return result
        } catch {
            return ElementOutcome(index: index, end: .failed, failure: run.failure(error))
        }
    }
}

extension ScopeValue {
    /// A checksum of an element, which shows whether the list has changed.
    var digest: String {
        var bytes: [UInt8] = []
        JSONWriter().write(json, to: &bytes)
        return Checksum.text(of: bytes[...])
    }
}
