/// An element of DER (X.690, sections 8.1 and 10.1), with just enough support to navigate a certificate.
struct DERElement {
    /// The tag's byte.
    let tag: UInt8
    /// The content of the element.
    let content: ArraySlice<UInt8>
    /// The element with its tag and length.
    let whole: ArraySlice<UInt8>

    /// Parses the first element of the bytes; nil if there is no complete one.
    init?(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        guard let tag = rest.popFirst(), tag & 0x1F != 0x1F, let first = rest.popFirst() else { return nil }
        var length = Int(first)
        if first & 0x80 != 0 {
            let digits = Int(first & 0x7F)
            guard (1...4).contains(digits), rest.count >= digits else { return nil }
            length = rest.prefix(digits).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(digits)
        }
        guard rest.count >= length else { return nil }
        self.tag = tag
        content = rest.prefix(length)
        whole = bytes[bytes.startIndex..<content.endIndex]
    }

    /// The elements in the content of this one.
    var children: [DERElement] {
        var children: [DERElement] = []
        var rest = content
        while let child = DERElement(rest) {
            children.append(child)
            rest = rest[child.whole.endIndex...]
        }
        return children
    }
}
