import WaybillManifest

/// The earlier name of `EvaluationFailure`.
typealias EvaluationProblem = EvaluationFailure
