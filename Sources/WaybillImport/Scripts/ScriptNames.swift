/// The names that tools have for the same idea.
enum ScriptNames {
    /// The name that Postman has for what another tool calls otherwise.
    static func postman(_ path: String) -> String { names[path] ?? path }

    private static let names = [
        // Bruno
        "test": "pm.test",
        "bru.setVar": "pm.variables.set", "bru.setEnvVar": "pm.environment.set",
        "bru.setGlobalEnvVar": "pm.globals.set",
        "bru.setCollectionVar": "pm.collectionVariables.set",
        "bru.getVar": "pm.variables.get", "bru.getEnvVar": "pm.environment.get",
        "bru.getGlobalEnvVar": "pm.globals.get",
        "bru.getCollectionVar": "pm.collectionVariables.get", "bru.getFolderVar": "pm.variables.get",
        "bru.getRequestVar": "pm.variables.get",
        "bru.deleteVar": "pm.variables.unset", "bru.deleteEnvVar": "pm.environment.unset",
        "bru.deleteAllVars": "pm.environment.clear",
        "bru.setNextRequest": "pm.setNextRequest", "bru.runner.setNextRequest": "pm.setNextRequest",
        "bru.interpolate": "pm.variables.replaceIn",
        "res.status": "pm.response.code", "res.getStatus": "pm.response.code",
        "res.headers": "pm.response.headers", "res.getHeaders": "pm.response.headers",
        "res.getHeader": "pm.response.headers.get",
        "res.responseTime": "pm.response.responseTime", "res.getResponseTime": "pm.response.responseTime",
        "res.getBody": "pm.response.json",
        // The HTTP Client of JetBrains
        "client.test": "pm.test", "client.log": "console.log",
        "client.global.set": "pm.globals.set", "client.global.get": "pm.globals.get",
        "client.global.clear": "pm.globals.unset", "client.global.clearAll": "pm.globals.clear",
        "request.variables.set": "pm.variables.set", "request.variables.get": "pm.variables.get",
        "response.status": "pm.response.code", "response.headers": "pm.response.headers",
        "pm.response.headers.valueOf": "pm.response.headers.get",
    ]
}
