/// A property that `\p{…}` tests: a general category, or a binary property.
struct UnicodeProperty: Sendable {
    private let test: @Sendable (Unicode.Scalar) -> Bool

    /// Creates the property with a name in the notation of ECMA-262: `L`, `Letter`, `gc=Lu`, `Alphabetic`. Scripts are
    /// not supported.
    init?(named text: String) {
        let parts = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
        if parts.count == 2 {
            guard ["General_Category", "gc"].contains(parts[0]), let found = Self.categories[parts[1]] else {
                return nil
            }
            self.init(found)
        } else if let found = Self.categories[text] {
            self.init(found)
        } else if let test = Self.binaries[text] {
            self.init { test($0.properties) }
        } else if text == "ASCII" {
            self.init { $0.isASCII }
        } else {
            return nil
        }
    }

    /// Creates the category with a short name such as `L` or `Lu`, as listed in RFC 9485.
    init?(shortCategory name: String) {
        guard name.utf8.count <= 2, name != "LC", name != "Cs", let found = Self.categories[name] else { return nil }
        self.init(found)
    }

    private init(_ categories: Set<Unicode.GeneralCategory>) {
        self.init { categories.contains($0.properties.generalCategory) }
    }

    private init(_ test: @escaping @Sendable (Unicode.Scalar) -> Bool) {
        self.test = test
    }

    /// Whether a scalar has the property.
    func holds(for scalar: Unicode.Scalar) -> Bool { test(scalar) }

    /// The general categories by short and long name (Unicode's PropertyValueAliases).
    private static let categories: [String: Set<Unicode.GeneralCategory>] = {
        let table: [(names: String, category: Unicode.GeneralCategory)] = [
            ("Lu Uppercase_Letter", .uppercaseLetter), ("Ll Lowercase_Letter", .lowercaseLetter),
            ("Lt Titlecase_Letter", .titlecaseLetter), ("Lm Modifier_Letter", .modifierLetter),
            ("Lo Other_Letter", .otherLetter), ("Mn Nonspacing_Mark", .nonspacingMark),
            ("Mc Spacing_Mark", .spacingMark), ("Me Enclosing_Mark", .enclosingMark),
            ("Nd Decimal_Number digit", .decimalNumber), ("Nl Letter_Number", .letterNumber),
            ("No Other_Number", .otherNumber), ("Pc Connector_Punctuation", .connectorPunctuation),
            ("Pd Dash_Punctuation", .dashPunctuation), ("Ps Open_Punctuation", .openPunctuation),
            ("Pe Close_Punctuation", .closePunctuation), ("Pi Initial_Punctuation", .initialPunctuation),
            ("Pf Final_Punctuation", .finalPunctuation), ("Po Other_Punctuation", .otherPunctuation),
            ("Sm Math_Symbol", .mathSymbol), ("Sc Currency_Symbol", .currencySymbol),
            ("Sk Modifier_Symbol", .modifierSymbol), ("So Other_Symbol", .otherSymbol),
            ("Zs Space_Separator", .spaceSeparator), ("Zl Line_Separator", .lineSeparator),
            ("Zp Paragraph_Separator", .paragraphSeparator), ("Cc Control cntrl", .control), ("Cf Format", .format),
            ("Cs Surrogate", .surrogate), ("Co Private_Use", .privateUse), ("Cn Unassigned", .unassigned),
        ]
        var found: [String: Set<Unicode.GeneralCategory>] = [:]
        for (names, category) in table {
            for name in names.split(separator: " ") { found[String(name)] = [category] }
            found[String(names.prefix(1)), default: []].insert(category)
        }
        for (name, group) in [
            ("Letter", "L"), ("Mark", "M"), ("Combining_Mark", "M"), ("Number", "N"), ("Punctuation", "P"),
            ("punct", "P"), ("Symbol", "S"), ("Separator", "Z"), ("Other", "C"),
        ] { found[name] = found[group] }
        for name in ["LC", "Cased_Letter"] { found[name] = [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter] }
        return found
    }()

    private static let binaries: [String: @Sendable (Unicode.Scalar.Properties) -> Bool] = {
        let table: [(names: String, test: @Sendable (Unicode.Scalar.Properties) -> Bool)] = [
            ("Alphabetic Alpha", { $0.isAlphabetic }), ("Uppercase Upper", { $0.isUppercase }),
            ("Lowercase Lower", { $0.isLowercase }), ("White_Space space", { $0.isWhitespace }),
            ("ASCII_Hex_Digit AHex", { $0.isASCIIHexDigit }), ("Hex_Digit Hex", { $0.isHexDigit }),
            ("Cased", { $0.isCased }), ("Case_Ignorable CI", { $0.isCaseIgnorable }), ("Dash", { $0.isDash }),
            ("Diacritic Dia", { $0.isDiacritic }), ("Emoji", { $0.isEmoji }),
            ("Emoji_Modifier EMod", { $0.isEmojiModifier }),
            ("Emoji_Modifier_Base EBase", { $0.isEmojiModifierBase }),
            ("Emoji_Presentation EPres", { $0.isEmojiPresentation }), ("Extender Ext", { $0.isExtender }),
            ("Grapheme_Base Gr_Base", { $0.isGraphemeBase }), ("Grapheme_Extend Gr_Ext", { $0.isGraphemeExtend }),
            ("ID_Start IDS", { $0.isIDStart }), ("ID_Continue IDC", { $0.isIDContinue }),
            ("XID_Start XIDS", { $0.isXIDStart }), ("XID_Continue XIDC", { $0.isXIDContinue }),
            ("Ideographic Ideo", { $0.isIdeographic }), ("Math", { $0.isMath }), ("Radical", { $0.isRadical }),
            ("Quotation_Mark QMark", { $0.isQuotationMark }), ("Unified_Ideograph UIdeo", { $0.isUnifiedIdeograph }),
            ("Noncharacter_Code_Point NChar", { $0.isNoncharacterCodePoint }),
            ("Variation_Selector VS", { $0.isVariationSelector }),
            ("Default_Ignorable_Code_Point DI", { $0.isDefaultIgnorableCodePoint }),
            ("Pattern_White_Space Pat_WS", { $0.isPatternWhitespace }),
            ("Sentence_Terminal STerm", { $0.isSentenceTerminal }), ("Soft_Dotted SD", { $0.isSoftDotted }),
            ("Bidi_Control Bidi_C", { $0.isBidiControl }), ("Bidi_Mirrored Bidi_M", { $0.isBidiMirrored }),
            ("Any", { _ in true }), ("Assigned", { $0.generalCategory != .unassigned }),
        ]
        var found: [String: @Sendable (Unicode.Scalar.Properties) -> Bool] = [:]
        for (names, test) in table {
            for name in names.split(separator: " ") { found[String(name)] = test }
        }
        return found
    }()
}
