import WaybillJSON

extension FirstManifest {
    /// The text of the manifest.
    ///
    /// - Parameter name: The name of its file, for the commands in its comments.
    func text(named name: String) -> String {
        """
        \(schemaLines)
        # HTTP requests as data. This file can be run as it is, with its own mock examples, without sending anything:
        #
        #     waybill run \(name) --mock
        #
        # 'waybill validate \(name)' checks it, 'waybill plan \(name)' shows what a run would do, and
        # 'waybill call \(name) profile --mock' sends one request.
        waybill: 1
        name: first-steps

        inputs:                       # set with --input user=…, in a file with --inputs, or this default
          user: {type: string, default: ada}

        # secrets:                    # from the environment, never written anywhere
        #   token: {env: API_TOKEN}

        environments:                 # selected with --env local
          local:
            services: {api: {baseURL: "http://127.0.0.1:8080"}}

        defaults:
          timeout: 15s

        services:
          api:                        # what all requests to one server have in common
            baseURL: \(JSONWriter().string(.string(url.replacing("${", with: "$${"))))
            headers: {Accept: application/json}
            # auth: {bearer: "${secrets.token}"}

        endpoints:
          profile:
            path: /users/${inputs.user}
            inputs: {user: string}    # set by the call, or by the input 'user' above
            expect:
              status: 200
              body: [exists($.id)]    # $ is the decoded response
            outputs: {id: $.id}       # for later steps: steps.profile.outputs.id
            mock:                     # the response with --mock
              body: {id: 7, name: Ada}

          orders:
            path: /users/${inputs.id}/orders
            query: {limit: 10}
            inputs: {id: integer}
            outputs: {totals: "$[*].total"}
            mock:
              body: [{id: 1, total: 12.50}, {id: 2, total: 3}]

        graphs:
          main:
            chain:                    # one after another; 'batch' runs steps in parallel
              - call: profile
              - call: orders
                with: {id: "${steps.profile.outputs.id}"}
              - id: news              # an inline request
                get: /news
                mock: {body: [{title: Hello}]}
            outputs:                  # the values of the run, in outputs.json
              spent: sum(steps.orders.outputs.totals)

        """
    }

    private var schemaLines: String {
        hasSchema
            ? "# yaml-language-server: $schema=\(Self.schemaName)"
            : "# For completion in an editor: 'waybill init --schema' writes the schema of manifests next to a new one."
    }
}
