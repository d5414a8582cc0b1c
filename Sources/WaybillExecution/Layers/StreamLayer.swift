import WaybillManifest
import WaybillPlan
import WaybillResults

/// `stream`: uses the events of a response as they arrive. The events of all attempts form one list.
struct StreamLayer<Inner: Layer<RequestStep, AttemptOutcome>>: Layer {
    let inner: Inner

    func execute(_ request: RequestStep, in context: StepContext) async -> AttemptOutcome {
        guard let setting = request.plan.settings.stream else { return await inner.execute(request, in: context) }
        let collector = EventCollector(request, setting, in: context)
        if !collector.continueEarlier() {
            do throws(Failure) {
                // The records of an earlier run are removed.
                try context.output?.removeRecords()
            } catch {
                return AttemptOutcome(in: context, failure: error)
            }
        }
        var context = context
        context.stream = collector
        return await inner.execute(request, in: context)
    }
}
