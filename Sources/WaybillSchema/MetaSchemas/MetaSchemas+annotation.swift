extension MetaSchemas {
    /// `meta/meta-data` of draft 2020-12.
    static let metaData = #"""
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "$id": "https://json-schema.org/draft/2020-12/meta/meta-data",
          "$vocabulary": {"https://json-schema.org/draft/2020-12/vocab/meta-data": true},
          "$dynamicAnchor": "meta",
          "title": "Meta-data vocabulary meta-schema",
          "type": ["object", "boolean"],
          "properties": {
            "title": {"type": "string"},
            "description": {"type": "string"},
            "default": true,
            "deprecated": {"type": "boolean", "default": false},
            "readOnly": {"type": "boolean", "default": false},
            "writeOnly": {"type": "boolean", "default": false},
            "examples": {"type": "array", "items": true}
          }
        }
        """#

    /// `meta/format-annotation` of draft 2020-12.
    static let formatAnnotation = #"""
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "$id": "https://json-schema.org/draft/2020-12/meta/format-annotation",
          "$vocabulary": {"https://json-schema.org/draft/2020-12/vocab/format-annotation": true},
          "$dynamicAnchor": "meta",
          "title": "Format vocabulary meta-schema for annotation results",
          "type": ["object", "boolean"],
          "properties": {"format": {"type": "string"}}
        }
        """#

    /// `meta/format-assertion` of draft 2020-12.
    static let formatAssertion = #"""
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "$id": "https://json-schema.org/draft/2020-12/meta/format-assertion",
          "$vocabulary": {"https://json-schema.org/draft/2020-12/vocab/format-assertion": true},
          "$dynamicAnchor": "meta",
          "title": "Format vocabulary meta-schema for assertion results",
          "type": ["object", "boolean"],
          "properties": {"format": {"type": "string"}}
        }
        """#

    /// `meta/content` of draft 2020-12.
    static let content = #"""
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "$id": "https://json-schema.org/draft/2020-12/meta/content",
          "$vocabulary": {"https://json-schema.org/draft/2020-12/vocab/content": true},
          "$dynamicAnchor": "meta",
          "title": "Content vocabulary meta-schema",
          "type": ["object", "boolean"],
          "properties": {
            "contentEncoding": {"type": "string"},
            "contentMediaType": {"type": "string"},
            "contentSchema": {"$dynamicRef": "#meta"}
          }
        }
        """#
}
