package import WaybillManifest

extension Sequence<RequestPlan> {
    /// The files with constant paths that the settings of the requests name, such as snapshots, cookie jars and netrc
    /// files.
    package var namedFiles: [NamedFile] {
        flatMap { $0.settings.entries.flatMap(\.value.namedFiles) }
    }
}

extension Plan {
    /// The files with constant paths that the steps write and download, relative to the results folder.
    package var resultFiles: [String] {
        let groups = (graphs + subgraphs.values).flatMap { [$0.body] + ($0.finally.map { [$0] } ?? []) }
        let written = groups.flatMap(\.allSteps).compactMap { $0.flow?.write?.to.constantText }
        // A path in the folder is resolved before its parts exist.
        return (written + requests.compactMap(\.constantDownload)).map { path in
            path.hasPrefix("/") ? path : ResultPath.normalized(path) ?? path
        }
    }
}

extension GroupPlan {
    /// The steps of the group and of the groups in it.
    fileprivate var allSteps: [StepPlan] {
        steps.flatMap { step in if case .group(let group) = step.work { [step] + group.allSteps } else { [step] } }
    }
}

extension RequestPlan {
    /// The constant path that the response is downloaded to, relative to the results folder.
    fileprivate var constantDownload: String? {
        guard let file = download?.to?.constantText else { return nil }
        guard let folder = settings.downloads else { return file }
        return folder.value.constantText.map { "\($0)/\(file)" }
    }
}
