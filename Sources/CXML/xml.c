#include "CXML.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
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

// MARK: Threads

/// Work of libxml2 that nothing interrupts, on a thread of its own. Other structures start with it.
typedef struct job {
    void (*work)(struct job *job);
    /// Releases an abandoned job after its work.
    void (*discard)(struct job *job);
    pthread_cond_t end;
    /// The document that it uses, and the limit of its operations, which ends it early; `NULL` without one.
    xmlDocPtr document;
    volatile unsigned long *limit;
    /// Whether it has ended, whether nothing waits for it any more, and whether the document is then released with it.
    bool has_ended, is_abandoned, frees_document;
} job;

/// Protects the last members of jobs, and `_private` of documents: the abandoned job that still uses one.
static pthread_mutex_t jobs = PTHREAD_MUTEX_INITIALIZER;

static void *do_work(void *argument) {
    job *job = argument;
    job->work(job);
    pthread_mutex_lock(&jobs);
    job->has_ended = true;
    bool is_abandoned = job->is_abandoned;
    xmlDocPtr document = job->frees_document ? job->document : NULL;
    if (is_abandoned && job->document) job->document->_private = NULL;
    pthread_cond_signal(&job->end);
    pthread_mutex_unlock(&jobs);
    if (!is_abandoned) return NULL;
    job->discard(job);
    if (document) xml.xmlFreeDoc(document);
    return NULL;
}

static const char *const stopped = "the time of the step has passed";

/// Does the work of a job until it must stop, and then abandons it. Returns false, and describes the failure, if the work has
/// not ended, or was not started and the job has been released.
static bool run(job *job, waybill_xml_must_stop must_stop, waybill_xml_failure *failure) {
    if (!must_stop) {
        job->work(job);
        return true;
    }
    if (must_stop()) {
        snprintf(failure->message, sizeof failure->message, "%s", stopped);
        job->discard(job);
        return false;
    }
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_cond_init(&job->end, NULL);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&thread, NULL, do_work, job);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (code) {
        snprintf(failure->message, sizeof failure->message, "a thread could not be started: %s", strerror(code));
        job->discard(job);
        return false;
    }
    pthread_mutex_lock(&jobs);
    while (!job->has_ended && !job->is_abandoned) {
        struct timespec time;
        clock_gettime(CLOCK_REALTIME, &time);
        time.tv_nsec += 20000000;
        time.tv_sec += time.tv_nsec / 1000000000;
        time.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&job->end, &jobs, &time);
        job->is_abandoned = !job->has_ended && must_stop();
    }
    bool has_ended = job->has_ended;
    if (!has_ended && job->document) job->document->_private = job;
    if (!has_ended && job->limit) *job->limit = 1;
    pthread_mutex_unlock(&jobs);
    if (has_ended) pthread_join(thread, NULL);
    else pthread_detach(thread);
    if (!has_ended) snprintf(failure->message, sizeof failure->message, "%s", stopped);
    return has_ended;
}

static bool is_abandoned(job *job) {
    pthread_mutex_lock(&jobs);
    bool is_abandoned = job->is_abandoned;
    pthread_mutex_unlock(&jobs);
    return is_abandoned;
}

// MARK: Documents

enum { most_levels = 2000, most_nodes = 2000000, most_default_bytes = 256 << 20, chunk_bytes = 1 << 16 };

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

/// A text that is parsed. Elements with very many attributes take a time that grows with the square of their number.
typedef struct {
    job job;
    char *bytes;
    size_t count;
    bool is_html;
    waybill_xml_failure failure;
    xmlDocPtr document;
} parsing;

static void parse(job *job) {
    parsing *parsing = (void *)job;
    bool is_html = parsing->is_html;
    waybill_xml_failure *failure = &parsing->failure;
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
    if (!context) {
        snprintf(failure->message, sizeof failure->message, "the memory does not suffice");
        return;
    }
    parser parser = {.context = context, .failure = failure};
    context->_private = &parser;
    // The limits of libxml2, such as 256 levels, are replaced by those here.
    if (is_html) {
        xml.htmlCtxtUseOptions(context, HTML_PARSE_NONET | HTML_PARSE_IGNORE_ENC | XML_PARSE_HUGE);
    } else {
        xml.xmlCtxtUseOptions(context, XML_PARSE_NONET | XML_PARSE_IGNORE_ENC | XML_PARSE_HUGE);
    }
    size_t position = 0;
    while (position < parsing->count && !failure->message[0]) {
        size_t rest = parsing->count - position, size = rest < chunk_bytes ? rest : chunk_bytes;
        if (is_html) xml.htmlParseChunk(context, parsing->bytes + position, (int)size, 0);
        else xml.xmlParseChunk(context, parsing->bytes + position, (int)size, 0);
        position += size;
        if (is_abandoned(job)) fail(&parser, "%s", stopped);
    }
    if (!failure->message[0]) {
        if (is_html) xml.htmlParseChunk(context, "", 0, 1);
        else xml.xmlParseChunk(context, "", 0, 1);
    }
    parsing->document = context->myDoc;
    context->myDoc = NULL;
    bool has_root = parsing->document && xml.xmlDocGetRootElement(parsing->document);
    if (!failure->message[0] && !has_root) fail(&parser, "it has no element%s", "");
    if (!failure->message[0] && !is_html && !context->wellFormed) fail(&parser, "it is not well-formed%s", "");
    xml.xmlFreeParserCtxt(context);
    if (!failure->message[0] || !parsing->document) return;
    xml.xmlFreeDoc(parsing->document);
    parsing->document = NULL;
}

static void discard_parsing(job *job) {
    parsing *parsing = (void *)job;
    if (parsing->document) xml.xmlFreeDoc(parsing->document);
    free(parsing->bytes);
    free(parsing);
}

waybill_xml_document *waybill_xml_parse(
    const char *bytes, size_t count, bool is_html, waybill_xml_must_stop must_stop, waybill_xml_failure *failure
) {
    *failure = (waybill_xml_failure){.offset = -1};
    parsing *parsing = calloc(1, sizeof *parsing);
    if (parsing) parsing->bytes = malloc(count + 1);
    if (!parsing || !parsing->bytes) {
        free(parsing);
        snprintf(failure->message, sizeof failure->message, "the memory does not suffice");
        return NULL;
    }
    memcpy(parsing->bytes, bytes, count);
    parsing->count = count;
    parsing->is_html = is_html;
    parsing->failure.offset = -1;
    parsing->job.work = parse;
    parsing->job.discard = discard_parsing;
    if (!run(&parsing->job, must_stop, failure)) return NULL;
    *failure = parsing->failure;
    waybill_xml_document *document = (void *)parsing->document;
    parsing->document = NULL;
    discard_parsing(&parsing->job);
    return document;
}

void waybill_xml_free(waybill_xml_document *document) {
    pthread_mutex_lock(&jobs);
    job *job = ((xmlDocPtr)document)->_private;
    if (job) job->frees_document = true;
    pthread_mutex_unlock(&jobs);
    if (!job) xml.xmlFreeDoc((xmlDocPtr)document);
}

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

/// An expression that is evaluated. libxml2 counts operations, but one that finds nodes compares each of them with all that
/// were found before.
typedef struct {
    job job;
    xmlXPathContextPtr context;
    xmlXPathCompExprPtr compiled;
    xmlXPathObjectPtr value;
    waybill_xml_failure failure;
} evaluation;

static void evaluate(job *job) {
    evaluation *evaluation = (void *)job;
    evaluation->value = xml.xmlXPathCompiledEval(evaluation->compiled, evaluation->context);
}

static void discard_evaluation(job *job) {
    evaluation *evaluation = (void *)job;
    if (evaluation->value) xml.xmlXPathFreeObject(evaluation->value);
    if (evaluation->compiled) xml.xmlXPathFreeCompExpr(evaluation->compiled);
    if (evaluation->context) xml.xmlXPathFreeContext(evaluation->context);
    free(evaluation);
}

waybill_xpath_value *waybill_xpath_evaluate(
    waybill_xml_document *document, const char *expression, const char *const *namespaces,
    waybill_xml_must_stop must_stop, waybill_xml_failure *failure
) {
    *failure = (waybill_xml_failure){.offset = -1};
    pthread_mutex_lock(&jobs);
    bool is_in_use = ((xmlDocPtr)document)->_private;
    pthread_mutex_unlock(&jobs);
    evaluation *evaluation = is_in_use ? NULL : calloc(1, sizeof *evaluation);
    if (!evaluation) {
        snprintf(failure->message, sizeof failure->message, "%s", is_in_use ? stopped : "the memory does not suffice");
        return NULL;
    }
    evaluation->failure.offset = -1;
    xmlXPathContextPtr context = evaluation->context = xml.xmlXPathNewContext((xmlDocPtr)document);
    if (context) {
        context->node = xml.xmlDocGetRootElement((xmlDocPtr)document);
        context->opLimit = most_operations;
        context->depth = levels_not_used;
        context->userData = &evaluation->failure;
        context->error = (xmlStructuredErrorFunc)note_xpath_error;
        for (; namespaces[0]; namespaces += 2) {
            xml.xmlXPathRegisterNs(context, BAD_CAST namespaces[0], BAD_CAST namespaces[1]);
        }
        evaluation->compiled = xml.xmlXPathCtxtCompile(context, BAD_CAST expression);
    }
    if (evaluation->compiled) {
        evaluation->job.work = evaluate;
        evaluation->job.discard = discard_evaluation;
        evaluation->job.document = (xmlDocPtr)document;
        evaluation->job.limit = &context->opLimit;
        if (!run(&evaluation->job, must_stop, failure)) return NULL;
    }
    *failure = evaluation->failure;
    xmlXPathObjectPtr value = evaluation->value;
    if (!failure->message[0] && value) evaluation->value = NULL;
    else value = NULL;
    discard_evaluation(&evaluation->job);
    if (!value && !failure->message[0]) snprintf(failure->message, sizeof failure->message, "it cannot be evaluated");
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
