#include "schemas.h"

static const unsigned char manifest_schema[] = {
#embed "../../schemas/manifest.schema.json"
};

struct embedded_text embedded_manifest_schema(void) {
    return (struct embedded_text){manifest_schema, sizeof manifest_schema};
}

static const unsigned char run_schema[] = {
#embed "../../schemas/run.schema.json"
};

struct embedded_text embedded_run_schema(void) {
    return (struct embedded_text){run_schema, sizeof run_schema};
}

static const unsigned char event_schema[] = {
#embed "../../schemas/event.schema.json"
};

struct embedded_text embedded_event_schema(void) {
    return (struct embedded_text){event_schema, sizeof event_schema};
}

static const unsigned char diagnostics_schema[] = {
#embed "../../schemas/diagnostics.schema.json"
};

struct embedded_text embedded_diagnostics_schema(void) {
    return (struct embedded_text){diagnostics_schema, sizeof diagnostics_schema};
}

static const unsigned char plan_schema[] = {
#embed "../../schemas/plan.schema.json"
};

struct embedded_text embedded_plan_schema(void) {
    return (struct embedded_text){plan_schema, sizeof plan_schema};
}

static const unsigned char suite_schema[] = {
#embed "../../schemas/suite.schema.json"
};

struct embedded_text embedded_suite_schema(void) {
    return (struct embedded_text){suite_schema, sizeof suite_schema};
}

static const unsigned char state_schema[] = {
#embed "../../schemas/state.schema.json"
};

struct embedded_text embedded_state_schema(void) {
    return (struct embedded_text){state_schema, sizeof state_schema};
}

static const unsigned char meta_schemas[] = {
#embed "draft2020-12/schema.json" suffix(, 0,)
#embed "draft2020-12/meta/applicator.json" suffix(, 0,)
#embed "draft2020-12/meta/content.json" suffix(, 0,)
#embed "draft2020-12/meta/core.json" suffix(, 0,)
#embed "draft2020-12/meta/format-annotation.json" suffix(, 0,)
#embed "draft2020-12/meta/format-assertion.json" suffix(, 0,)
#embed "draft2020-12/meta/meta-data.json" suffix(, 0,)
#embed "draft2020-12/meta/unevaluated.json" suffix(, 0,)
#embed "draft2020-12/meta/validation.json" suffix(, 0,)
};

struct embedded_text embedded_meta_schemas(void) {
    return (struct embedded_text){meta_schemas, sizeof meta_schemas};
}
