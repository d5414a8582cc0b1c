import WaybillJSON
import WaybillPlatform

/// Converts text to UTF-8 with the system's `iconv`.
struct CharacterSetConverter {
    /// The name of the character set as `iconv` knows it.
    let name: String

    /// A converter from the character set of a label; `nil` if neither the WHATWG Encoding Standard nor the system
    /// knows the label.
    init?(label: String) {
        // A slash would start one of glibc's own suffixes, such as `//IGNORE`; an empty name means the locale's set.
        guard !label.isEmpty, label.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") }) else {
            return nil
        }
        name = Self.namesByLabel[label] ?? label
        guard let descriptor = unsafe Self.open(name) else { return nil }
        unsafe iconv_close(descriptor)
    }

    /// Decodes bytes; returns `nil` if they are not valid in the character set, or once `WorkLimit` is reached.
    func text(of bytes: some Collection<UInt8>) -> String? {
        guard let descriptor = unsafe Self.open(name) else { return nil }
        defer { unsafe iconv_close(descriptor) }
        var source = [UInt8](bytes)
        var buffer = [UInt8](repeating: 0, count: 4096)
        var text: [UInt8] = []
        let isValid = unsafe source.withUnsafeMutableBytes { source in
            // `char` is signed on some processors only.
            var next = unsafe source.assumingMemoryBound(to: CChar.self).baseAddress
            var remaining = source.count
            var limit = WorkLimit.Check()
            // The last call, without input, writes what is pending in a character set with shift states.
            while true {
                if limit.isReached(at: source.count - remaining) { return false }
                let isLast = remaining == 0
                let (result, count) = unsafe buffer.withUnsafeMutableBytes { buffer in
                    var end = unsafe buffer.assumingMemoryBound(to: CChar.self).baseAddress
                    var room = buffer.count
                    let result =
                        unsafe isLast
                        ? iconv(descriptor, nil, nil, &end, &room)
                        : iconv(descriptor, &next, &remaining, &end, &room)
                    return (result, buffer.count - room)
                }
                text.append(contentsOf: buffer[..<count])
                if result == -1 {
                    guard errno == E2BIG else { return false }
                } else if isLast {
                    return true
                }
            }
        }
        return isValid ? String(validating: text, as: UTF8.self) : nil
    }

    private static func open(_ name: String) -> iconv_t? {
        let descriptor = unsafe iconv_open("UTF-8", name)
        // `iconv_open` returns `(iconv_t)-1` on failure.
        return unsafe descriptor == iconv_t(bitPattern: -1) ? nil : descriptor
    }

    /// Labels of the WHATWG Encoding Standard for which `iconv` has another character set, usually one with fewer
    /// characters, or none.
    private static let namesByLabel: [String: String] = Dictionary(
        uniqueKeysWithValues: [
            (
                "GB18030",
                """
                gbk gb2312 gb_2312 gb_2312-80 chinese csgb2312 csiso58gb231280 iso-ir-58 x-gbk cp936 ms936 windows-936
                """
            ),
            ("BIG5-HKSCS", "big5 big5-hkscs cn-big5 csbig5 x-x-big5 x-big5"),
            ("CP932", "shift_jis shift-jis sjis x-sjis ms_kanji csshiftjis windows-31j ms932"),
            ("EUC-JP", "euc-jp x-euc-jp cseucpkdfmtjapanese"),
            (
                "CP949",
                """
                euc-kr cseuckr korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 csksc56011987 iso-ir-149
                windows-949
                """
            ),
            ("CP874", "windows-874 dos-874 tis-620 iso-8859-11 iso8859-11 iso885911"),
            ("CP1254", "iso-8859-9 iso8859-9 iso88599 iso_8859-9 latin5 l5 csisolatin5 windows-1254 x-cp1254"),
            ("CP1250", "x-cp1250"), ("CP1251", "x-cp1251"), ("CP1253", "x-cp1253"), ("CP1255", "x-cp1255"),
            ("CP1256", "x-cp1256"), ("CP1257", "x-cp1257"), ("CP1258", "x-cp1258"),
            ("ISO-8859-8", "iso-8859-8-i iso-8859-8-e csiso88598i csiso88598e logical visual"),
            ("ISO-8859-7", "sun_eu_greek"),
            ("ISO-8859-15", "l9 csisolatin9"),
            ("KOI8-R", "koi koi8 koi8_r"),
            ("KOI8-U", "koi8-ru"),
            ("MACINTOSH", "x-mac-roman"),
            ("MAC-CYRILLIC", "x-mac-cyrillic x-mac-ukrainian"),
        ].flatMap { name, labels in labels.split(whereSeparator: \.isWhitespace).map { (String($0), name) } }
    )
}
