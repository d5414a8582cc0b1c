import WaybillDiagnostics
import WaybillJSON
import WaybillResults
import WaybillTransport

extension StepContext {
    /// Counts values that later steps use, for as long as a share of the run's memory exists. Throws if all of them
    /// together take too much, or once the time of the step has passed.
    func keep(
        _ values: [JSON],
        in share: inout RunMemory.Share?,
        at span: SourceSpan
    ) throws(Failure) {
        guard !values.isEmpty else { return }
        var size = JSONSize()
        do throws(JSONSize.Excess) {
            for value in values { try size.add(value) }
        } catch {
            throw deadline?.passed ?? Failure(.output, run.redactor.text(error.message), at: span)
        }
        let own = share ?? RunMemory.Share(of: run.executor.memory)
        guard own.keep(size.bytes) else {
            let message =
                "the results that later steps use take more than 1 GiB of memory together; use only a part of them, such "
                + "as an output, or write records to a file"
            throw Failure(.output, run.redactor.text(message), at: span)
        }
        share = own
    }
}
