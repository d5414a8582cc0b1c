#include <stddef.h>

/// A text that is embedded in the program.
struct __attribute__((swift_attr("safe"))) embedded_text {
    const unsigned char *bytes;
    size_t size;
};

/// schemas/manifest.schema.json as it was when the program was built.
struct embedded_text embedded_manifest_schema(void);

/// schemas/run.schema.json as it was when the program was built.
struct embedded_text embedded_run_schema(void);

/// schemas/event.schema.json as it was when the program was built.
struct embedded_text embedded_event_schema(void);

/// schemas/diagnostics.schema.json as it was when the program was built.
struct embedded_text embedded_diagnostics_schema(void);

/// schemas/plan.schema.json as it was when the program was built.
struct embedded_text embedded_plan_schema(void);

/// schemas/suite.schema.json as it was when the program was built.
struct embedded_text embedded_suite_schema(void);

/// schemas/state.schema.json as it was when the program was built.
struct embedded_text embedded_state_schema(void);

/// The meta-schemas of JSON Schema, draft 2020-12, each with a zero byte after it.
struct embedded_text embedded_meta_schemas(void);
