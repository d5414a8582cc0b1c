import CXML
import Synchronization
import WaybillJSON

/// A parsed document, in which XPath 1.0 finds nodes.
///
/// Nothing is fetched, and references to entities other than the five of XML are an error. A document has at most 2,000
/// levels and 2,000,000 nodes.
///
/// It is sendable because it does not change after it was parsed, and because `evaluate` locks it: libxml2 keeps names that
/// it meets in a dictionary of the document.
@safe
package final class XMLDocument: @unchecked Sendable {
    /// The language of a document.
    package enum Language: Sendable {
        /// XML 1.0, which must be well-formed.
        case xml
        /// HTML. Broken markup is repaired.
        case html
    }

    /// Why a document cannot be used.
    package struct SyntaxError: Error, Sendable {
        /// The reason, without a full stop. It may have parts of the document.
        package let message: String
        /// The line, from 1, if it is known.
        package let line: Int?
    }

    /// The text that was parsed.
    package let source: String
    private let lock = Mutex(())
    private let document: OpaquePointer

    /// Parses a document. An encoding that it declares is ignored, because the text is already decoded.
    package init(parsing text: String, as language: Language = .xml) throws(SyntaxError) {
        guard waybill_xml_load() else { throw SyntaxError(message: XPathExpression.missingLibrary, line: nil) }
        var source = text
        var failure = waybill_xml_failure()
        let mustStop: waybill_xml_must_stop? = Self.isSmall(text) ? nil : { WorkLimit.isReached }
        let document = source.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
                unsafe waybill_xml_parse(
                    bytes.baseAddress,
                    bytes.count,
                    language == .html,
                    mustStop,
                    &failure
                )
            }
        }
        guard let document = unsafe document else {
            throw SyntaxError(message: failure.text, line: failure.line > 0 ? Int(failure.line) : nil)
        }
        unsafe self.document = document
        self.source = text
    }

    /// Whether a text is so small that libxml2 needs no thread of its own, which can be abandoned when it takes too long.
    /// Starting one takes as long as parsing a text of this size.
    private static func isSmall(_ text: String) -> Bool { text.utf8.count < 4 << 10 }

    deinit {
        unsafe waybill_xml_free(document)
    }

    /// Returns a page in HTML as well-formed XML without namespaces, comments and document type, so that it can be parsed
    /// as XML. Names that XML does not allow are removed with their attributes; such an element is named `unnamed`.
    package static func wellFormed(html text: String) throws(SyntaxError) -> String {
        let page = try XMLDocument(parsing: text, as: .html)
        unsafe waybill_xml_make_well_formed(page.document)
        guard let text = unsafe String(releasing: waybill_xml_text(page.document)) else {
            throw SyntaxError(message: "the memory does not suffice", line: nil)
        }
        return text
    }

    /// Returns the value of an expression at the root element.
    ///
    /// - Parameter namespaces: The namespaces by prefix.
    package func evaluate(
        _ expression: XPathExpression,
        namespaces: [String: String]
    ) throws(XPathExpression.Failure) -> XPathExpression.Value {
        try lock.withLock { _ throws(XPathExpression.Failure) in
            try unsafe expression.value(in: document, isSmall: Self.isSmall(source), namespaces: namespaces)
        }
    }
}

extension waybill_xml_failure {
    /// The reason.
    var text: String {
        var message = message
        return unsafe withUnsafeBytes(of: &message) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}

extension String {
    /// Creates the string of a text of libxml2, which is released.
    init?(releasing text: UnsafeMutablePointer<CChar>?) {
        guard let text = unsafe text else { return nil }
        unsafe self.init(cString: text)
        unsafe waybill_xml_free_text(text)
    }
}
