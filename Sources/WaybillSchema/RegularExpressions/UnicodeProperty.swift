/// A property that `\p{…}` tests: a general category, or a binary property.
enum UnicodeProperty: Sendable {
    case categories(Set<Unicode.GeneralCategory>)
    case binary(@Sendable (Unicode.Scalar.Properties) -> Bool)
    case any
    case ascii
    case assigned

    /// Creates the property with a name in the notation of ECMA-262: `L`, `Letter`, `gc=Lu`, `Alphabetic`. Scripts are
    /// not supported.
    init?(named text: String) {
        let parts = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
        if parts.count == 2 {
            guard ["General_Category", "gc"].contains(parts[0]), let found = Self.categories[parts[1]] else {
                return nil
            }
            self = .categories(found)
        } else if let found = Self.categories[text] {
            self = .categories(found)
        } else if let found = Self.binaries[text] {
            self = .binary(found)
        } else {
            switch text {
            case "Any": self = .any
            case "ASCII": self = .ascii
            case "Assigned": self = .assigned
            default: return nil
            }
        }
    }

    /// Creates the category with a short name such as `L` or `Lu`, as listed in RFC 9485.
    init?(shortCategory name: String) {
        guard name.utf8.count <= 2, name != "LC", name != "Cs", let found = Self.categories[name] else { return nil }
        self = .categories(found)
    }

    /// Whether a scalar has the property.
    func holds(for scalar: Unicode.Scalar) -> Bool {
        switch self {
        case .categories(let categories): categories.contains(scalar.properties.generalCategory)
        case .binary(let test): test(scalar.properties)
        case .any: true
        case .ascii: scalar.isASCII
        case .assigned: scalar.properties.generalCategory != .unassigned
        }
    }

    /// The general categories by long and short name (Unicode's PropertyValueAliases).
    private static let categories: [String: Set<Unicode.GeneralCategory>] = {
        let letters: [Unicode.GeneralCategory] = [
            .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
        ]
        let marks: [Unicode.GeneralCategory] = [.nonspacingMark, .spacingMark, .enclosingMark]
        let numbers: [Unicode.GeneralCategory] = [.decimalNumber, .letterNumber, .otherNumber]
        let punctuation: [Unicode.GeneralCategory] = [
            .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
            .finalPunctuation, .otherPunctuation,
        ]
        let symbols: [Unicode.GeneralCategory] = [.mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol]
        let separators: [Unicode.GeneralCategory] = [.spaceSeparator, .lineSeparator, .paragraphSeparator]
        let others: [Unicode.GeneralCategory] = [.control, .format, .surrogate, .privateUse, .unassigned]
        let table: [(names: String, categories: [Unicode.GeneralCategory])] = [
            ("L Letter", letters), ("LC Cased_Letter", Array(letters.prefix(3))),
            ("Lu Uppercase_Letter", [.uppercaseLetter]), ("Ll Lowercase_Letter", [.lowercaseLetter]),
            ("Lt Titlecase_Letter", [.titlecaseLetter]), ("Lm Modifier_Letter", [.modifierLetter]),
            ("Lo Other_Letter", [.otherLetter]), ("M Mark Combining_Mark", marks),
            ("Mn Nonspacing_Mark", [.nonspacingMark]), ("Mc Spacing_Mark", [.spacingMark]),
            ("Me Enclosing_Mark", [.enclosingMark]), ("N Number", numbers),
            ("Nd Decimal_Number digit", [.decimalNumber]), ("Nl Letter_Number", [.letterNumber]),
            ("No Other_Number", [.otherNumber]), ("P Punctuation punct", punctuation),
            ("Pc Connector_Punctuation", [.connectorPunctuation]), ("Pd Dash_Punctuation", [.dashPunctuation]),
            ("Ps Open_Punctuation", [.openPunctuation]), ("Pe Close_Punctuation", [.closePunctuation]),
            ("Pi Initial_Punctuation", [.initialPunctuation]), ("Pf Final_Punctuation", [.finalPunctuation]),
            ("Po Other_Punctuation", [.otherPunctuation]), ("S Symbol", symbols), ("Sm Math_Symbol", [.mathSymbol]),
            ("Sc Currency_Symbol", [.currencySymbol]), ("Sk Modifier_Symbol", [.modifierSymbol]),
            ("So Other_Symbol", [.otherSymbol]), ("Z Separator", separators), ("Zs Space_Separator", [.spaceSeparator]),
            ("Zl Line_Separator", [.lineSeparator]), ("Zp Paragraph_Separator", [.paragraphSeparator]),
            ("C Other", others), ("Cc Control cntrl", [.control]), ("Cf Format", [.format]),
            ("Cs Surrogate", [.surrogate]), ("Co Private_Use", [.privateUse]), ("Cn Unassigned", [.unassigned]),
        ]
        var found: [String: Set<Unicode.GeneralCategory>] = [:]
        for (names, categories) in table {
            for name in names.split(separator: " ") { found[String(name)] = Set(categories) }
        }
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
        ]
        var found: [String: @Sendable (Unicode.Scalar.Properties) -> Bool] = [:]
        for (names, test) in table {
            for name in names.split(separator: " ") { found[String(name)] = test }
        }
        return found
    }()
}
