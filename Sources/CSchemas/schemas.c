#include "schemas.h"

static const unsigned char manifest_schema[] = {
#embed "../../schemas/manifest.schema.json"
};

struct embedded_text embedded_manifest_schema(void) {
    return (struct embedded_text){manifest_schema, sizeof manifest_schema};
}
