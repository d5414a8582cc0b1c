// XML, HTML and XPath 1.0 by libxml2, which is loaded when it is first used.

#ifndef WAYBILL_XML_H
#define WAYBILL_XML_H

#include <stdbool.h>
#include <stddef.h>

/// Why a document could not be parsed, or an expression not be evaluated.
typedef struct {
    /// One line without a full stop; empty if there was no failure.
    char message[240];
    /// The line of a document, from 1; 0 if it is unknown.
    int line;
    /// The offset in an expression in bytes; -1 if it is unknown.
    int offset;
} waybill_xml_failure;

/// Asks whether the work must stop. It is called on the thread of the work.
typedef bool (*waybill_xml_must_stop)(void);

/// A parsed document. It does not change.
typedef struct waybill_xml_document waybill_xml_document;

/// The value of an expression.
typedef struct waybill_xpath_value waybill_xpath_value;

typedef enum {
    WAYBILL_XPATH_NUMBER,
    WAYBILL_XPATH_BOOLEAN,
    WAYBILL_XPATH_STRING,
    WAYBILL_XPATH_NODES,
} waybill_xpath_kind;

/// Loads libxml2. Returns `false` if it is not installed. Call it before the other functions.
bool waybill_xml_load(void);

/// Parses a document in UTF-8. Nothing is fetched, and references to entities other than the five of XML are a failure;
/// in HTML, the entities of HTML 4 are known, and broken markup is repaired.
///
/// Returns `NULL` and describes the failure if that is not possible, or if the document is nested more than 2,000 levels
/// deep or has more than 2,000,000 nodes. `must_stop` is asked until the end; `NULL` for a small document.
waybill_xml_document *waybill_xml_parse(
    const char *bytes, size_t count, bool is_html, waybill_xml_must_stop must_stop, waybill_xml_failure *failure);

void waybill_xml_free(waybill_xml_document *document);

/// Removes from a document that was parsed as HTML what its XML could not contain: comments, processing instructions, the
/// document type, declarations of namespaces, and names that XML does not allow.
void waybill_xml_make_well_formed(waybill_xml_document *document);

/// Evaluates an expression at the root element of a document. Returns `NULL` and describes the failure if it is invalid or
/// takes too many steps.
///
/// - Parameters:
///   - namespaces: Prefixes, each followed by its namespace, and `NULL`.
///   - must_stop: Asked until the evaluation ends; `NULL` for a small document. An evaluation that is stopped may keep a
///     thread busy for a while, and the document fails all other ones until then.
waybill_xpath_value *waybill_xpath_evaluate(
    waybill_xml_document *document, const char *expression, const char *const *namespaces,
    waybill_xml_must_stop must_stop, waybill_xml_failure *failure);

void waybill_xpath_free(waybill_xpath_value *value);

waybill_xpath_kind waybill_xpath_kind_of(const waybill_xpath_value *value);
double waybill_xpath_number(const waybill_xpath_value *value);
bool waybill_xpath_boolean(const waybill_xpath_value *value);
/// The number of nodes.
size_t waybill_xpath_count(const waybill_xpath_value *value);

/// Returns the string, or a node as a string: an element as XML with the declarations of its namespaces, any other node as
/// its content. Release it with `waybill_xml_free_text`. `NULL` if the memory does not suffice.
char *waybill_xpath_text(const waybill_xpath_value *value, size_t index);

/// Returns the XML of a document, without a declaration.
char *waybill_xml_text(waybill_xml_document *document);

void waybill_xml_free_text(char *text);

#endif
