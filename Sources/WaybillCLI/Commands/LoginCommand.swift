import ArgumentParser
import WaybillDiagnostics
import WaybillExecution
import WaybillManifest
import WaybillPipeline
import WaybillPlan
import WaybillResults

/// `waybill login`
struct LoginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Logs in to the services of a manifest whose tokens a user creates.",
        discussion: """
            For 'oauth2' with the grant 'device' or 'authorization_code'. Prints the address to open, and waits until you \
            have logged in. The tokens are stored in the file that 'store' names, where runs find and renew them.
            """
    )

    @OptionGroup var options: LoginOptions

    func run() throws {
        let output = Output(noColour: true)
        try options.use(output, ofUsers: true) { (login, name) throws(TokenLogin.Failure) in
            try await login.logIn { instruction in
                switch instruction {
                case .open(let url):
                    output.write("\(name): open this address in a browser on this machine:\n  \(line(url))\n")
                case .enter(let code, let url, let complete):
                    output.write("\(name): open \(line(url)) and enter the code \(line(code))\n")
                    if let complete { output.write("The code is in this address: \(line(complete))\n") }
                }
            }
            output.write("\(name): logged in; the tokens are in \(line(login.path))\n")
        }
    }
}

/// `waybill logout`
struct LogoutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Removes the stored tokens of the services of a manifest.",
        discussion: "Tokens of a service with 'revocationURL' are also revoked at the server (RFC 7009)."
    )

    @OptionGroup var options: LoginOptions

    func run() throws {
        let output = Output(noColour: true)
        try options.use(output, ofUsers: false) { (login, name) throws(TokenLogin.Failure) in
            let hadTokens = try await login.logOut()
            output.write("\(name): \(hadTokens ? "logged out" : "no tokens are stored")\n")
        }
    }
}

/// The options that select stored tokens.
struct LoginOptions: ParsableArguments {
    @OptionGroup var manifest: ManifestOptions

    @Argument(help: "The service. Default: all services with stored tokens.")
    var service: String?

    @OptionGroup var inputs: InputOptions

    /// Calls a function with the selected tokens, one after another, and a name for each. Reports errors, and throws the
    /// exit status.
    ///
    /// - Parameter ofUsers: Whether only tokens that a user creates are selected.
    func use(
        _ output: Output,
        ofUsers: Bool,
        _ body: @escaping @Sendable (TokenLogin, String) async throws(TokenLogin.Failure) -> Void
    ) throws {
        let (planOptions, diagnostics) = try inputs.planOptions(output)
        let stage = try manifest.checkedManifest().then { checked in
            let (plan, requests, diagnostics) = PlanBuilder.logins(of: checked, options: planOptions)
            return Pipeline.Stage(value: (plan, requests), diagnostics: diagnostics)
        }
        output.report(diagnostics + stage.diagnostics)
        guard let (plan, requests) = stage.value else { throw ExitStatus.invalid }
        let stored = requests.filter { service == nil || $0.service == service }
        guard !stored.isEmpty else {
            let subject = service.map { "no service '\($0)'" } ?? "no service"
            throw output.notRun("the manifest has \(subject) with 'store' in 'auth: {oauth2: …}'")
        }
        let selected = stored.filter { !ofUsers || $0.needsUser }
        guard !selected.isEmpty else {
            throw output.notRun(
                "nobody needs to log in: 'login' is for the grants 'device' and 'authorization_code'; with other grants, runs "
                    + "fetch the tokens"
            )
        }
        var runOptions = RunOptions()
        runOptions.variables = planOptions.variables
        let control = runOptions.control
        let session = Pipeline.session(for: plan, runOptions)
        let work = Task {
            do throws(RunError) {
                try await session.withLogins(of: selected) { (login) throws(TokenLogin.Failure) in
                    try await body(
                        login,
                        line(login.services.isEmpty ? plan.name : login.services.joined(separator: ", "))
                    )
                }
                return RunError?.none
            } catch {
                return error
            }
        }
        Signals.onStop({
            control.stop()
            work.cancel()
        })
        let error = waiting { () async throws(Never) in await work.value }
        if let signal = Signals.received { throw ExitCode(128 + signal) }
        guard let error else { return }
        throw error.manifestDiagnostics.isEmpty
            ? output.notRun(error.commandMessage) : output.invalid(error.manifestDiagnostics)
    }
}

/// A string on one line of the terminal.
private func line(_ text: String) -> String { PrintableText.oneLine(text) }
