import CXML
import WaybillJSON
import WaybillPlatform

/// An expression of XPath 1.0.
package struct XPathExpression: Sendable, Hashable {
    /// The kinds of value, which an expression has for every document.
    package enum Kind: Sendable {
        case number, boolean, string, nodes
    }

    /// The value of an expression.
    package enum Value: Sendable {
        case number(Double)
        case boolean(Bool)
        case string(String)
        /// Nodes in the order of the document: an element is its XML, with the declarations of the namespaces that it uses,
        /// any other node is its content.
        case nodes([String])
    }

    /// Why an expression is invalid or has no value.
    package struct Failure: Error, Sendable {
        /// The reason, without a full stop. It has no part of a document.
        package let message: String
        /// Where the expression is invalid, in UTF-8 bytes, if that is known.
        package var offset: Int?
    }

    /// A prefix of a name.
    package struct Prefix: Sendable, Equatable {
        package let name: String
        /// The location in the expression, in UTF-8 bytes.
        package let range: Range<Int>
    }

    /// The expression as it was written.
    package let text: String

    /// The maximum size of all nodes of a value together, in bytes.
    private static let mostBytes = 256 << 20

    static let missingLibrary = "this requires the library libxml2, which is not installed"

    /// Creates an expression, which is not checked yet.
    package init(_ text: String) {
        self.text = text
    }

    /// Checks the syntax, and that all functions exist. Returns the kind of the value, and the prefixes that it uses.
    package func check() throws(Failure) -> (kind: Kind, prefixes: [Prefix]) {
        var names = XPathNames(text)
        try names.read()
        let namespaces = Dictionary(names.prefixes.map { ($0.name, "x") }) { first, _ in first }
        let document: XMLDocument
        do {
            document = try XMLDocument(parsing: "<x/>")
        } catch {
            throw Failure(message: error.message)
        }
        // An expression has the same kind of value in every document. libxml2 finds most errors only in an evaluation.
        let kind: Kind =
            switch try document.evaluate(self, namespaces: namespaces) {
            case .number: .number
            case .boolean: .boolean
            case .string: .string
            case .nodes: .nodes
            }
        return (kind, names.prefixes)
    }

    /// Returns the value in a document of libxml2.
    ///
    /// - Parameter isSmall: Whether the document is so small that the evaluation takes no time worth mentioning.
    @unsafe
    func value(
        in document: OpaquePointer,
        isSmall: Bool,
        namespaces: [String: String]
    ) throws(Failure) -> Value {
        if text.utf8.contains(0) { throw Failure(message: "it contains a NUL character") }
        var failure = waybill_xml_failure()
        let pairs = namespaces.flatMap { [$0.key, $0.value] }
        // They are copied because the closure of `withCString` would have to be nested for each.
        let copies = unsafe pairs.map { unsafe strdup($0) }
        defer { unsafe copies.forEach { unsafe free($0) } }
        let pointers = unsafe copies.map { unsafe $0.map { unsafe UnsafePointer($0) } } + [nil]
        let mustStop: waybill_xml_must_stop? = isSmall ? nil : { WorkLimit.isReached }
        guard let found = unsafe waybill_xpath_evaluate(document, text, pointers, mustStop, &failure) else {
            throw Failure(message: failure.text, offset: failure.offset < 0 ? nil : Int(failure.offset))
        }
        defer { unsafe waybill_xpath_free(found) }
        switch unsafe waybill_xpath_kind_of(found) {
        case WAYBILL_XPATH_NUMBER: return .number(unsafe waybill_xpath_number(found))
        case WAYBILL_XPATH_BOOLEAN: return .boolean(unsafe waybill_xpath_boolean(found))
        case WAYBILL_XPATH_STRING: return .string(unsafe String(releasing: waybill_xpath_text(found, 0)) ?? "")
        default: return .nodes(try unsafe Self.nodes(of: found))
        }
    }

    @unsafe
    private static func nodes(of value: OpaquePointer) throws(Failure) -> [String] {
        var nodes: [String] = []
        var bytes = 0
        var limit = WorkLimit.Check()
        for index in 0..<(unsafe waybill_xpath_count(value)) {
            guard let node = unsafe String(releasing: waybill_xpath_text(value, index)) else {
                throw Failure(message: "the memory does not suffice")
            }
            // An element that contains others that were found is counted, and copied, with them.
            bytes += node.utf8.count + MemoryLayout<String>.stride
            if bytes > mostBytes { throw Failure(message: "the nodes that it finds take more than 256 MiB") }
            if limit.isReached(before: node.utf8.count + 64) { throw Failure(message: WorkLimit.message) }
            nodes.append(node)
        }
        return nodes
    }
}
