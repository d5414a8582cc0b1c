#define _GNU_SOURCE
#include "CXML.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <libxml/HTMLparser.h>
#include <libxml/SAX2.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlsave.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

// libxml2 requires ICU, whose loading takes 6 million instructions, an eighth of those of a run of one request. So only
// runs that use it load it, with the types of its headers.

#define FUNCTIONS(F)                                                                                                   \
    F(htmlCreatePushParserCtxt)                                                                                        \
    F(htmlCtxtUseOptions)                                                                                              \
    F(htmlParseChunk)                                                                                                  \
    F(xmlBufferContent)                                                                                                \
    F(xmlBufferCreate)                                                                                                 \
    F(xmlBufferDetach)                                                                                                 \
    F(xmlBufferFree)                                                                                                   \
    F(xmlCreatePushParserCtxt)                                                                                         \
    F(xmlCtxtUseOptions)                                                                                               \
    F(xmlDocCopyNode)                                                                                                  \
    F(xmlDocGetRootElement)                                                                                            \
    F(xmlFreeDoc)                                                                                                      \
    F(xmlFreeNode)                                                                                                     \
    F(xmlFreeParserCtxt)                                                                                               \
    F(xmlGetPredefinedEntity)                                                                                          \
    F(xmlInitParser)                                                                                                   \
    F(xmlNodeDump)                                                                                                     \
    F(xmlNodeGetContent)                                                                                               \
    F(xmlNodeSetName)                                                                                                  \
    F(xmlParseChunk)                                                                                                   \
    F(xmlRemoveProp)                                                                                                   \
    F(xmlSAX2CDataBlock)                                                                                               \
    F(xmlSAX2Characters)                                                                                               \
    F(xmlSAX2Comment)                                                                                                  \
    F(xmlSAX2InitHtmlDefaultSAXHandler)                                                                                \
    F(xmlSAX2ProcessingInstruction)                                                                                    \
    F(xmlSAX2StartElement)                                                                                             \
    F(xmlSAX2StartElementNs)                                                                                           \
    F(xmlSAXVersion)                                                                                                   \
    F(xmlStopParser)                                                                                                   \
    F(xmlStrdup)                                                                                                       \
    F(xmlUnlinkNode)                                                                                                   \
    F(xmlValidateQName)                                                                                                \
    F(xmlXPathCompiledEval)                                                                                            \
    F(xmlXPathCtxtCompile)                                                                                             \
    F(xmlXPathFreeCompExpr)                                                                                            \
    F(xmlXPathFreeContext)                                                                                             \
    F(xmlXPathFreeObject)                                                                                              \
    F(xmlXPathNewContext)                                                                                              \
    F(xmlXPathRegisterNs)

static struct {
#define F(name) __typeof__(&name) name;
    FUNCTIONS(F)
#undef F
    xmlFreeFunc *free;
    bool is_loaded;
} xml;

#ifdef __APPLE__
#define LIBRARY "/usr/lib/libxml2.2.dylib"
#elif LIBXML_VERSION >= 21400
#define LIBRARY "libxml2.so.16"
#else
#define LIBRARY "libxml2.so.2"
#endif

static void load(void) {
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
#define F(name) if (!(xml.name = (__typeof__(&name))dlsym(library, #name))) return;
    FUNCTIONS(F)
#undef F
    if (!(xml.free = dlsym(library, "xmlFree"))) return;
    xml.xmlInitParser();
    xml.is_loaded = true;
}

bool waybill_xml_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return xml.is_loaded;
}

// MARK: Documents

enum {
    most_levels = 2000,
    most_nodes = 2000000,
    most_attributes = 10000,
    most_words = 20000,
    most_default_bytes = 256 << 20,
    chunk_bytes = 1 << 16,
};

/// The state of a parser, which `_private` of libxml2's context points to.
typedef struct {
    xmlParserCtxtPtr context;
    waybill_xml_failure *failure;
    size_t nodes;
    /// The bytes of attributes that the document type gives to elements that do not have them.
    size_t default_bytes;
} parser;

static void fail(parser *parser, const char *format, const char *name) {
    if (parser->failure->message[0]) return;
    snprintf(parser->failure->message, sizeof parser->failure->message, format, name);
    parser->failure->line = parser->context->input ? parser->context->input->line : 0;
    xml.xmlStopParser(parser->context);
}

static parser *parser_of(void *context) { return ((xmlParserCtxtPtr)context)->_private; }

/// Returns whether the document may have more nodes.
static bool add_nodes(void *context, size_t count) {
    parser *parser = parser_of(context);
    parser->nodes += count;
    if (parser->nodes > most_nodes) fail(parser, "it has more than 2,000,000 nodes%s", "");
    if (parser->context->nodeNr >= most_levels) fail(parser, "it is nested more than 2,000 levels deep%s", "");
    return !parser->failure->message[0];
}

static void start_element_ns(
    void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespace_count,
    const xmlChar **namespaces, int attribute_count, int default_count, const xmlChar **attributes
) {
    // Each attribute is a node with a text, described by five pointers, of which the last two are the bounds of its value.
    for (int index = attribute_count - default_count; index < attribute_count; index++) {
        parser_of(context)->default_bytes += attributes[5 * index + 4] - attributes[5 * index + 3];
    }
    if (parser_of(context)->default_bytes > most_default_bytes) {
        fail(parser_of(context), "the attributes of its document type take more than 256 MiB%s", "");
    }
    if (!add_nodes(context, 1 + namespace_count + 2 * (size_t)attribute_count)) return;
    xml.xmlSAX2StartElementNs(
        context, name, prefix, uri, namespace_count, namespaces, attribute_count, default_count, attributes);
}

static void start_element(void *context, const xmlChar *name, const xmlChar **attributes) {
    size_t count = 0;
    while (attributes && attributes[count]) count += 2;
    if (add_nodes(context, 1 + count)) xml.xmlSAX2StartElement(context, name, attributes);
}

static void characters(void *context, const xmlChar *text, int length) {
    if (add_nodes(context, 1)) xml.xmlSAX2Characters(context, text, length);
}

static void cdata_block(void *context, const xmlChar *text, int length) {
    if (add_nodes(context, 1)) xml.xmlSAX2CDataBlock(context, text, length);
}

static void comment(void *context, const xmlChar *text) {
    if (add_nodes(context, 1)) xml.xmlSAX2Comment(context, text);
}

static void processing_instruction(void *context, const xmlChar *target, const xmlChar *data) {
    if (add_nodes(context, 1)) xml.xmlSAX2ProcessingInstruction(context, target, data);
}

static xmlEntityPtr get_entity(void *context, const xmlChar *name) {
    xmlEntityPtr entity = xml.xmlGetPredefinedEntity(name);
    if (!entity) {
        fail(parser_of(context), "it refers to the entity '%.80s': of entities, only the five of XML are supported",
             (const char *)name);
    }
    return entity;
}

static xmlEntityPtr get_parameter_entity(void *context, const xmlChar *name) {
    fail(parser_of(context), "it refers to the parameter entity '%.80s', which is not supported", (const char *)name);
    return NULL;
}

/// Notes the first error after which the document is not well-formed.
static void note_error(void *context, const xmlError *error) {
    parser *parser = parser_of(context);
    if (error->level < XML_ERR_FATAL || !parser || parser->failure->message[0]) return;
    snprintf(parser->failure->message, sizeof parser->failure->message, "%s", error->message ? error->message : "");
    parser->failure->message[strcspn(parser->failure->message, "\r\n")] = 0;
    parser->failure->line = error->line;
}

/// Returns where a text is after a mark, or its end.
static const char *after(const char *mark, const char *text, const char *end) {
    const char *found = memmem(text, end - text, mark, strlen(mark));
    return found ? found + strlen(mark) : end;
}

/// Returns whether a tag has so many words that libxml2, which compares each attribute with all others and asks nobody
/// whether it must stop, takes seconds for it. In XML, a value in quotes is one word; browsers and libxml2 disagree about
/// broken quotes, so HTML has none here.
static bool has_too_many_attributes(const char *text, const char *end, bool is_html) {
    int most = is_html ? most_words : most_attributes;
    while (text < end && (text = memchr(text, '<', end - text))) {
        size_t left = end - text;
        if (!is_html && left > 4 && !memcmp(text, "<!--", 4)) text = after("-->", text + 4, end);
        else if (!is_html && left > 9 && !memcmp(text, "<![CDATA[", 9)) text = after("]]>", text + 9, end);
        else if (!is_html && left > 2 && text[1] == '?') text = after("?>", text, end);
        else {
            int words = 0;
            for (text++; text < end && *text != '>' && *text != '<'; text++) {
                bool is_quote = !is_html && (*text == '"' || *text == '\'');
                const char *quote = is_quote ? memchr(text + 1, *text, end - text - 1) : NULL;
                if (quote) text = quote;
                if ((quote || strchr(" \t\r\n/", *text)) && ++words > most) return true;
            }
        }
    }
    return false;
}

waybill_xml_document *waybill_xml_parse(
    const char *bytes, size_t count, bool is_html, waybill_xml_must_stop must_stop, waybill_xml_failure *failure
) {
    xmlSAXHandler handler = {0};
    if (is_html) {
        xml.xmlSAX2InitHtmlDefaultSAXHandler(&handler);
        // With this, a handler of structured errors is used, which prints nothing. Those of HTML are all repaired.
        handler.initialized = XML_SAX2_MAGIC;
        handler.startElement = start_element;
    } else {
        xml.xmlSAXVersion(&handler, 2);
        handler.startElementNs = start_element_ns;
        handler.getEntity = get_entity;
        handler.getParameterEntity = get_parameter_entity;
    }
    handler.characters = handler.ignorableWhitespace = characters;
    handler.cdataBlock = cdata_block;
    handler.comment = comment;
    handler.processingInstruction = processing_instruction;
    handler.serror = (xmlStructuredErrorFunc)note_error;

    xmlParserCtxtPtr context =
        is_html ? xml.htmlCreatePushParserCtxt(&handler, NULL, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8)
                : xml.xmlCreatePushParserCtxt(&handler, NULL, NULL, 0, NULL);
    *failure = (waybill_xml_failure){.offset = -1};
    if (!context) {
        snprintf(failure->message, sizeof failure->message, "the memory does not suffice");
        return NULL;
    }
    parser parser = {.context = context, .failure = failure};
    context->_private = &parser;
    if (has_too_many_attributes(bytes, bytes + count, is_html)) {
        const char *message = is_html ? "the attributes of an element have more than 20,000 words"
                                      : "an element has more than 10,000 attributes";
        snprintf(failure->message, sizeof failure->message, "%s", message);
    }
    // The limits of libxml2, such as 256 levels, are replaced by those here.
    if (is_html) {
        xml.htmlCtxtUseOptions(context, HTML_PARSE_NONET | HTML_PARSE_IGNORE_ENC | XML_PARSE_HUGE);
    } else {
        xml.xmlCtxtUseOptions(context, XML_PARSE_NONET | XML_PARSE_IGNORE_ENC | XML_PARSE_HUGE);
    }
    size_t position = 0;
    while (position < count && !failure->message[0]) {
        size_t size = count - position < chunk_bytes ? count - position : chunk_bytes;
        if (is_html) xml.htmlParseChunk(context, bytes + position, (int)size, 0);
        else xml.xmlParseChunk(context, bytes + position, (int)size, 0);
        position += size;
        if (must_stop()) fail(&parser, "the time of the step has passed%s", "");
    }
    if (!failure->message[0]) {
        if (is_html) xml.htmlParseChunk(context, "", 0, 1);
        else xml.xmlParseChunk(context, "", 0, 1);
    }
    xmlDocPtr document = context->myDoc;
    context->myDoc = NULL;
    bool has_root = document && xml.xmlDocGetRootElement(document);
    if (!failure->message[0] && !has_root) fail(&parser, "it has no element%s", "");
    if (!failure->message[0] && !is_html && !context->wellFormed) fail(&parser, "it is not well-formed%s", "");
    xml.xmlFreeParserCtxt(context);
    if (!failure->message[0]) return (waybill_xml_document *)document;
    if (document) xml.xmlFreeDoc(document);
    return NULL;
}

void waybill_xml_free(waybill_xml_document *document) { xml.xmlFreeDoc((xmlDocPtr)document); }

void waybill_xml_make_well_formed(waybill_xml_document *document) {
    xmlDocPtr doc = (xmlDocPtr)document;
    xmlNodePtr node = doc->children;
    while (node) {
        // Each node is followed by its first child, else by the next node of the nearest ancestor that has one.
        xmlNodePtr next = node->type == XML_ELEMENT_NODE ? node->children : NULL;
        for (xmlNodePtr up = node; !next && up && up != (xmlNodePtr)doc; up = up->parent) next = up->next;
        switch (node->type) {
        case XML_ELEMENT_NODE:
            if (xml.xmlValidateQName(node->name, 0)) xml.xmlNodeSetName(node, BAD_CAST "unnamed");
            for (xmlAttrPtr attribute = node->properties; attribute;) {
                xmlAttrPtr following = attribute->next;
                if (xml.xmlValidateQName(attribute->name, 0) || !strncmp((const char *)attribute->name, "xmlns", 5)) {
                    xml.xmlRemoveProp(attribute);
                }
                attribute = following;
            }
            break;
        case XML_TEXT_NODE:
        case XML_CDATA_SECTION_NODE: break;
        case XML_DTD_NODE:
            xml.xmlUnlinkNode(node);
            xml.xmlFreeNode(node);
            doc->intSubset = NULL;
            break;
        default:
            xml.xmlUnlinkNode(node);
            xml.xmlFreeNode(node);
        }
        node = next;
    }
    // Elements are then written as those of XML.
    doc->type = XML_DOCUMENT_NODE;
}

static char *xml_of(xmlDocPtr document, xmlNodePtr node) {
    xmlBufferPtr buffer = xml.xmlBufferCreate();
    if (!buffer) return NULL;
    xmlChar *text = xml.xmlNodeDump(buffer, document, node, 0, 0) < 0 ? NULL : xml.xmlBufferDetach(buffer);
    xml.xmlBufferFree(buffer);
    return (char *)text;
}

char *waybill_xml_text(waybill_xml_document *document) {
    return xml_of((xmlDocPtr)document, xml.xmlDocGetRootElement((xmlDocPtr)document));
}

void waybill_xml_free_text(char *text) { (*xml.free)(text); }

// MARK: XPath

// An operation takes up to some tenths of a microsecond. A level of nesting takes about 1.5 KiB of the stack, and libxml2
// allows 5,000 of them.
enum { most_operations = 50000000, levels_not_used = 4000 };

static const char *xpath_message(int code) {
    switch (code) {
    case XML_XPATH_NUMBER_ERROR: return "a number is invalid";
    case XML_XPATH_UNFINISHED_LITERAL_ERROR:
    case XML_XPATH_START_LITERAL_ERROR: return "a string does not end";
    case XML_XPATH_INVALID_PREDICATE_ERROR: return "a predicate is invalid or does not end";
    case XML_XPATH_EXPR_ERROR: return "it ends too early, or something is not expected";
    case XML_XPATH_UNCLOSED_ERROR: return "a parenthesis does not end";
    case XML_XPATH_INVALID_OPERAND:
    case XML_XPATH_INVALID_TYPE: return "an argument has the wrong type";
    case XML_XPATH_INVALID_ARITY: return "a function has the wrong number of arguments";
    case XML_XPATH_UNDEF_PREFIX_ERROR: return "a prefix is not bound by 'namespaces'";
    case XML_XPATH_MEMORY_ERROR: return "the memory does not suffice";
    default: return NULL;
    }
}

static void note_xpath_error(void *data, const xmlError *error) {
    waybill_xml_failure *failure = data;
    if (failure->message[0]) return;
    // libxml2 does not name these codes.
    int code = error->code - XML_XPATH_EXPRESSION_OK;
    const char *message = code == XPATH_OP_LIMIT_EXCEEDED           ? "it takes too many steps"
                          : code == XPATH_RECURSION_LIMIT_EXCEEDED ? "it is nested too deeply"
                                                                    : xpath_message(error->code);
    snprintf(failure->message, sizeof failure->message, "%s", message ? message : "it cannot be evaluated");
    // The offset is known only of errors in the expression.
    failure->offset = error->str1 ? error->int1 : -1;
}

// The sets of nodes of some axes are united in quadratic time, in which libxml2 asks nobody whether it must stop. So an
// evaluation in a document that is not small has a thread of its own. Nobody waits for it any more when the time of the step
// has passed; it then owns the document, and ends by the limit of operations at the latest.

enum { small_bytes = 1024, most_abandoned = 4, thread_stack = 4 << 20 };

/// An evaluation, and what it needs when its caller no longer waits for it.
typedef struct {
    xmlDocPtr document;
    char *expression;
    /// Prefixes, each followed by its namespace, and `NULL`.
    char **namespaces;
    xmlXPathObjectPtr value;
    waybill_xml_failure failure;
    pthread_mutex_t lock;
    pthread_cond_t end;
    bool has_ended, is_abandoned;
} evaluation;

static _Atomic int abandoned = 0;

static void free_evaluation(evaluation *work) {
    free(work->expression);
    for (char **text = work->namespaces; text && *text; text++) free(*text);
    free(work->namespaces);
    pthread_mutex_destroy(&work->lock);
    pthread_cond_destroy(&work->end);
    free(work);
}

/// Returns `NULL` if the memory does not suffice.
static evaluation *new_evaluation(xmlDocPtr document, const char *expression, const char *const *namespaces) {
    evaluation *work = calloc(1, sizeof *work);
    if (!work) return NULL;
    pthread_mutex_init(&work->lock, NULL);
    pthread_cond_init(&work->end, NULL);
    work->document = document;
    work->failure.offset = -1;
    size_t count = 0;
    while (namespaces[count]) count++;
    bool is_complete = (work->expression = strdup(expression)) && (work->namespaces = calloc(count + 1, sizeof(char *)));
    for (size_t index = 0; is_complete && index < count; index++) {
        is_complete = (work->namespaces[index] = strdup(namespaces[index])) != NULL;
    }
    if (is_complete) return work;
    free_evaluation(work);
    return NULL;
}

static void evaluate(evaluation *work) {
    waybill_xml_failure *failure = &work->failure;
    xmlXPathContextPtr context = xml.xmlXPathNewContext(work->document);
    if (context) {
        context->node = xml.xmlDocGetRootElement(work->document);
        context->opLimit = most_operations;
        context->depth = levels_not_used;
        context->userData = failure;
        context->error = (xmlStructuredErrorFunc)note_xpath_error;
        for (char **pair = work->namespaces; *pair; pair += 2) {
            xml.xmlXPathRegisterNs(context, BAD_CAST pair[0], BAD_CAST pair[1]);
        }
        xmlXPathCompExprPtr compiled = xml.xmlXPathCtxtCompile(context, BAD_CAST work->expression);
        if (compiled) {
            work->value = xml.xmlXPathCompiledEval(compiled, context);
            xml.xmlXPathFreeCompExpr(compiled);
        }
        xml.xmlXPathFreeContext(context);
    }
    if (work->value && failure->message[0]) {
        xml.xmlXPathFreeObject(work->value);
        work->value = NULL;
    }
    if (!work->value && !failure->message[0]) {
        snprintf(failure->message, sizeof failure->message, "it cannot be evaluated");
    }
}

static void *evaluate_on_thread(void *data) {
    evaluation *work = data;
    evaluate(work);
    pthread_mutex_lock(&work->lock);
    work->has_ended = true;
    pthread_cond_signal(&work->end);
    bool is_abandoned = work->is_abandoned;
    pthread_mutex_unlock(&work->lock);
    if (is_abandoned) {
        if (work->value) xml.xmlXPathFreeObject(work->value);
        xml.xmlFreeDoc(work->document);
        free_evaluation(work);
        abandoned--;
    }
    return NULL;
}

/// Evaluates on a thread. Returns whether the evaluation has ended; otherwise nobody may use it and its document any more.
static bool wait_for(evaluation *work, waybill_xml_must_stop must_stop, waybill_xml_failure *failure) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, thread_stack);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    bool has_thread = abandoned < most_abandoned && !pthread_create(&thread, &attributes, evaluate_on_thread, work);
    pthread_attr_destroy(&attributes);
    if (!has_thread) {
        const char *message = abandoned < most_abandoned
            ? "no thread could be started" : "four earlier evaluations are past their time and have not ended";
        snprintf(work->failure.message, sizeof work->failure.message, "%s", message);
        return true;
    }
    pthread_mutex_lock(&work->lock);
    while (!work->has_ended && !work->is_abandoned) {
        struct timespec time;
        clock_gettime(CLOCK_REALTIME, &time);
        time.tv_nsec += 10000000;
        time.tv_sec += time.tv_nsec / 1000000000;
        time.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&work->end, &work->lock, &time);
        if (!work->has_ended && must_stop()) {
            work->is_abandoned = true;
            abandoned++;
        }
    }
    bool has_ended = work->has_ended;
    pthread_mutex_unlock(&work->lock);
    if (!has_ended) snprintf(failure->message, sizeof failure->message, "the time of the step has passed");
    return has_ended;
}

waybill_xpath_value *waybill_xpath_evaluate(
    waybill_xml_document **document, size_t bytes, const char *expression, const char *const *namespaces,
    waybill_xml_must_stop must_stop, waybill_xml_failure *failure
) {
    *failure = (waybill_xml_failure){.offset = -1};
    evaluation *work = new_evaluation((xmlDocPtr)*document, expression, namespaces);
    if (!work) {
        snprintf(failure->message, sizeof failure->message, "the memory does not suffice");
        return NULL;
    }
    if (bytes <= small_bytes) {
        evaluate(work);
    } else if (!wait_for(work, must_stop, failure)) {
        *document = NULL;
        return NULL;
    }
    *failure = work->failure;
    xmlXPathObjectPtr value = work->value;
    free_evaluation(work);
    return (waybill_xpath_value *)value;
}

void waybill_xpath_free(waybill_xpath_value *value) { xml.xmlXPathFreeObject((xmlXPathObjectPtr)value); }

waybill_xpath_kind waybill_xpath_kind_of(const waybill_xpath_value *value) {
    switch (((const xmlXPathObject *)value)->type) {
    case XPATH_NUMBER: return WAYBILL_XPATH_NUMBER;
    case XPATH_BOOLEAN: return WAYBILL_XPATH_BOOLEAN;
    case XPATH_STRING: return WAYBILL_XPATH_STRING;
    default: return WAYBILL_XPATH_NODES;
    }
}

double waybill_xpath_number(const waybill_xpath_value *value) { return ((const xmlXPathObject *)value)->floatval; }

bool waybill_xpath_boolean(const waybill_xpath_value *value) { return ((const xmlXPathObject *)value)->boolval; }

size_t waybill_xpath_count(const waybill_xpath_value *value) {
    const xmlXPathObject *object = (const xmlXPathObject *)value;
    return object->nodesetval ? object->nodesetval->nodeNr : 0;
}

char *waybill_xpath_text(const waybill_xpath_value *value, size_t index) {
    const xmlXPathObject *object = (const xmlXPathObject *)value;
    if (object->type == XPATH_STRING) return (char *)xml.xmlStrdup(object->stringval);
    xmlNodePtr node = object->nodesetval->nodeTab[index];
    switch (node->type) {
    case XML_NAMESPACE_DECL: return (char *)xml.xmlStrdup(((xmlNsPtr)node)->href);
    case XML_DOCUMENT_NODE:
    case XML_HTML_DOCUMENT_NODE: return waybill_xml_text((waybill_xml_document *)node);
    case XML_ELEMENT_NODE: break;
    default: return (char *)xml.xmlNodeGetContent(node);
    }
    if (node->parent == (xmlNodePtr)node->doc) return xml_of(node->doc, node);
    // A copy declares the namespaces that ancestors of the element declare.
    xmlNodePtr copy = xml.xmlDocCopyNode(node, node->doc, 1);
    if (!copy) return NULL;
    char *text = xml_of(node->doc, copy);
    xml.xmlFreeNode(copy);
    return text;
}
