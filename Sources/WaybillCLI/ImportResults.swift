import WaybillDiagnostics
import WaybillImport
import WaybillJSON
import WaybillPlatform
import WaybillRuntime

/// The files of an import. Existing files are never changed.
struct ImportResults {
    let manifest: ImportedManifest
    /// The path of the manifest; nil for standard output.
    let out: String?
    /// The path of the report about what was not imported.
    let report: String?
    /// The path of the file with the values of the secrets.
    let environmentFile: String?

    /// Writes the files. If one cannot be written, those before it are removed again.
    func write() -> [Diagnostic] {
        var written: [String] = []
        let files: [(path: String?, content: String, permissions: UInt32)] = [
            (out, manifest.text, 0o666), (report, reportText, 0o666), (environmentFile, environmentText, 0o600),
        ]
        for (path, content, permissions) in files {
            guard let path else { continue }
            do {
                try NewFile.write(Array(content.utf8), to: path, permissions: permissions)
                written.append(path)
            } catch {
                for path in written { unlink(path) }
                return [Self.failure(error, path)]
            }
        }
        return []
    }

    private static func failure(_ error: SystemError, _ path: String) -> Diagnostic {
        guard error.errno == EEXIST else {
            return Diagnostic("unwritable-file", "could not write \(path): \(error)", at: nil)
        }
        return Diagnostic(
            "existing-file",
            "\(path) already exists",
            at: nil,
            help: ["Existing files are never overwritten. Choose another file, or remove this one."]
        )
    }

    /// The losses as JSON: `{"losses": [{"what", "reason", "file", "line", "column"}]}`.
    private var reportText: String {
        let losses = manifest.losses.map { loss in
            var object = JSONObject()
            object["what"] = .string(loss.what)
            object["reason"] = .string(loss.reason)
            if let location = SourceLocation(loss.span) {
                object["file"] = .string(location.file)
                object["line"] = .number(JSONNumber(location.line))
                object["column"] = .number(JSONNumber(location.column))
            }
            return JSON.object(object)
        }
        return JSONWriter(layout: .pretty).string(["losses": .array(losses)]) + "\n"
    }

    /// The values of the secrets as a file for `--env-file`.
    private var environmentText: String {
        manifest.secrets.map { secret in
            guard let value = secret.value else { return "\(secret.variable)=\n" }
            let isPlain = value.unicodeScalars.allSatisfy {
                $0.isASCII
                    && ($0.properties.isAlphabetic || $0.properties.numericType != nil
                        || "-._~/+:@%,=".unicodeScalars.contains($0))
            }
            return "\(secret.variable)=\(isPlain ? value : Self.quoted(value))\n"
        }.joined()
    }

    private static func quoted(_ value: String) -> String {
        guard value.contains("'") || value.contains(where: \.isNewline) else { return "'\(value)'" }
        let escaped = value.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\"", "\\", "$": result += "\\\(scalar)"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return "\"\(escaped)\""
    }
}

extension ImportLoss {
    /// The loss in one line, with its location. The line of the source is not shown: it may contain secrets.
    var line: String {
        PrintableText.oneLine("\(span.map { "\($0): " } ?? "")not imported: \(what): \(reason)") + "\n"
    }
}
