import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults

/// The elements that had finished before the run was resumed.
extension ForEachRunner {
    /// What is different in the elements that had ended before the run was resumed; `nil` where they are as they were.
    func change(in source: ElementSource) -> String? {
        for (index, before) in past?.elements.sorted(by: { $0.key < $1.key }) ?? [] {
            let done = "element \(index) was already done before the run was resumed"
            guard index < source.count else {
                return "\(done), and the list has only \(source.count) now"
            }
            do throws(EvaluationFailure) {
                let element = try source.element(index)
                // Of a secret element the journal has no digest.
                if before.digest == element.digest || before.digest == nil && element.isSecret { continue }
                return "element \(index) differs from the one that the run started with"
            } catch {
                return "\(done), and cannot be evaluated any more: \(error.message)"
            }
        }
        return nil
    }

    /// An element that had ended before the run was resumed, and is the same as then.
    func take(_ before: EarlierElements.Element, at index: Int, of source: ElementSource) -> ElementOutcome {
        do throws(EvaluationFailure) {
            let element = try source.element(index)
            var result = ElementOutcome(index: index, end: before.outcome == .passed ? .passed : .failed)
            result.failure = before.failure
            result.url = before.url
            result.use = before.use
            if step.keeps.contains(.items) {
                // The journal keeps no record of an element of which there is nothing to say but that it passed.
                let record = before.record.map { StepRecord(kept: $0) }
                result.record = ElementRecord(
                    item: element,
                    record: record ?? StepRecord(isPassed: before.outcome == .passed)
                )
            }
            return result
        } catch {
            return ElementOutcome(index: index, end: .failed, failure: run.failure(error))
        }
    }
}

extension ScopeValue {
    /// A checksum of an element, to find out whether a list has changed.
    var digest: String {
        var bytes: [UInt8] = []
        JSONWriter().write(json, to: &bytes)
        return Checksum.text(of: bytes[...])
    }
}
