import Synchronization
import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillPlan
import WaybillResults
import WaybillRuntime

extension StepContext {
    /// Writes a snapshot of the step, unless the file already has that content. A log entry names the file.
    ///
    /// - Returns: The failure, if it could not be written.
    func write(_ snapshot: SnapshotChecker.Update, endpoint: String? = nil) async -> Failure? {
        guard let folder = run.folder else { return nil }
        if let other = stepSharing(snapshot) {
            let message = run.redactor.text(
                "the snapshot \(snapshot.path) was already written by step '\(other)', with other data; "
                    + "give each step its own snapshot"
            )
            return Failure(.expect, message, at: snapshot.span)
        }
        do throws(ResultsError) {
            guard let isNew = try await folder.replace(snapshot.path, with: snapshot.content) else { return nil }
            let message = run.redactor.text("snapshot \(snapshot.path) \(isNew ? "created" : "updated")")
            run.events.emit(.log(message), step: path, endpoint: endpoint)
            return nil
        } catch {
            let message = run.redactor.text("could not write the snapshot: \(error)")
            return Failure(.expect, message, at: snapshot.span)
        }
    }

    /// The other step of the run that has written a snapshot to the same file with other content, if there is one.
    private func stepSharing(_ snapshot: SnapshotChecker.Update) -> String? {
        let folder = FileContents.folder(of: snapshot.path)
        let file = FileContents.path(
            FileContents.name(of: snapshot.path),
            in: FileContents.canonicalPath(folder) ?? folder
        )
        let digest = Digest.sha256(of: snapshot.content)
        return run.snapshots.withLock { snapshots in
            if let earlier = snapshots[CodePoints(file)], earlier.step != path, earlier.digest != digest {
                return earlier.step
            }
            snapshots[CodePoints(file)] = (path, digest)
            return nil
        }
    }
}
