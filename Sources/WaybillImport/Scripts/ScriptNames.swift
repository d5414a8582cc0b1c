/// The names that tools have for the same idea.
enum ScriptNames {
    /// The name that Postman has for what another tool calls otherwise.
    static func postman(_ path: String) -> String { names[path] ?? path }

    /// The scope of variables that a function of Postman reads or changes, and the function; nil for any other.
    static func store(_ path: String) -> (store: String, function: String)? {
        let parts = path.split(separator: ".").map(String.init)
        let stores = ["environment", "globals", "collectionVariables", "variables", "runtime", "folder", "request"]
        let functions = ["get", "set", "unset", "clear"]
        guard parts.count == 3, parts[0] == "pm", stores.contains(parts[1]), functions.contains(parts[2]) else {
            return nil
        }
        return (parts[1], parts[2])
    }

    private static let names = [
        // Bruno
        "test": "pm.test",
        "bru.setVar": "pm.runtime.set", "bru.setEnvVar": "pm.environment.set",
        "bru.setGlobalEnvVar": "pm.globals.set",
        "bru.setCollectionVar": "pm.collectionVariables.set",
        "bru.getVar": "pm.runtime.get", "bru.getEnvVar": "pm.environment.get",
        "bru.getGlobalEnvVar": "pm.globals.get",
        "bru.getCollectionVar": "pm.collectionVariables.get", "bru.getFolderVar": "pm.folder.get",
        "bru.getRequestVar": "pm.request.get",
        "bru.deleteVar": "pm.runtime.unset", "bru.deleteEnvVar": "pm.environment.unset",
        "bru.deleteAllVars": "pm.runtime.clear",
        "bru.setNextRequest": "pm.setNextRequest", "bru.runner.setNextRequest": "pm.setNextRequest",
        "bru.interpolate": "pm.variables.replaceIn",
        "res.status": "pm.response.code", "res.getStatus": "pm.response.code",
        "res.headers": "pm.response.headers", "res.getHeaders": "pm.response.headers",
        "res.getHeader": "pm.response.headers.get",
        "res.responseTime": "pm.response.responseTime", "res.getResponseTime": "pm.response.responseTime",
        "res.getBody": "pm.response.json",
        // Postman, before
        "postman.setEnvironmentVariable": "pm.environment.set", "postman.setGlobalVariable": "pm.globals.set",
        "postman.getEnvironmentVariable": "pm.environment.get", "postman.getGlobalVariable": "pm.globals.get",
        "postman.clearEnvironmentVariable": "pm.environment.unset", "postman.clearGlobalVariable": "pm.globals.unset",
        "postman.clearEnvironmentVariables": "pm.environment.clear", "postman.clearGlobalVariables": "pm.globals.clear",
        // The HTTP Client of JetBrains
        "client.test": "pm.test", "client.log": "console.log",
        "client.global.set": "pm.globals.set", "client.global.get": "pm.globals.get",
        "client.global.clear": "pm.globals.unset", "client.global.clearAll": "pm.globals.clear",
        "request.variables.set": "pm.variables.set", "request.variables.get": "pm.variables.get",
        "request.environment.get": "pm.environment.get",
        "response.status": "pm.response.code", "response.headers": "pm.response.headers",
        "pm.response.headers.valueOf": "pm.response.headers.get",
    ]
}
