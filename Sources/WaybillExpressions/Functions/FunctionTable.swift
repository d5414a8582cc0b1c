import WaybillJSON

extension ExpressionFunction {
    /// All functions, in the order in which they are documented.
    package static let all: [ExpressionFunction] = [
        // RFC 9535, section 2.4
        ExpressionFunction(
            "length",
            [Parameter("value", [.string, .bytes, .array, .object])],
            .number,
            "The number of code points of a text, of bytes, of elements of a list or of members of an object.",
            concealsSecrets: true,
            work: .constant,
            .compute(ListFunctions.length)
        ),
        ExpressionFunction(
            "count",
            [Parameter("path", .any)],
            .number,
            "The number of places that a path matches.",
            concealsSecrets: true,
            .form(.count)
        ),
        ExpressionFunction(
            "match",
            [Parameter("text", .string), Parameter("pattern", .string)],
            .boolean,
            "Whether a whole text matches a pattern (I-Regexp, RFC 9485).",
            .form(.pattern(.match))
        ),
        ExpressionFunction(
            "search",
            [Parameter("text", .string), Parameter("pattern", .string)],
            .boolean,
            "Whether some part of a text matches a pattern (I-Regexp, RFC 9485).",
            .form(.pattern(.search))
        ),
        ExpressionFunction(
            "value",
            [Parameter("path", .any)],
            .any,
            "The value of a path that matches exactly one place.",
            .form(.value)
        ),

        // What is there
        ExpressionFunction(
            "default",
            [Parameter("value", .any), Parameter("otherwise", .any, repeats: true)],
            .any,
            "The first argument that is there and not null.",
            .form(.firstPresent)
        ),
        ExpressionFunction(
            "exists",
            [Parameter("path", .any)],
            .boolean,
            "Whether there is such a value, be it null.",
            .form(.exists)
        ),
        ExpressionFunction(
            "not",
            [Parameter("condition", .boolean)],
            .boolean,
            "True if the condition is false.",
            .form(.not)
        ),

        // Texts
        ExpressionFunction(
            "concat",
            [Parameter("value", [.text, .array], repeats: true)],
            [.string, .array],
            "Texts, numbers and booleans joined to one text, or lists joined to one list.",
            .compute(TextFunctions.concat)
        ),
        ExpressionFunction(
            "lower",
            [Parameter("text", .string)],
            .string,
            "The text in lower case.",
            .compute(TextFunctions.lower)
        ),
        ExpressionFunction(
            "upper",
            [Parameter("text", .string)],
            .string,
            "The text in upper case.",
            .compute(TextFunctions.upper)
        ),
        ExpressionFunction(
            "trim",
            [Parameter("text", .string)],
            .string,
            "The text without white space at its ends.",
            .compute(TextFunctions.trim)
        ),
        ExpressionFunction(
            "split",
            [Parameter("text", .string), Parameter("separator", .string)],
            .array,
            "The parts of a text between separators; its code points if the separator is empty.",
            .compute(TextFunctions.split)
        ),
        ExpressionFunction(
            "join",
            [Parameter("list", .array), Parameter("separator", .string)],
            .string,
            "The texts, numbers and booleans of a list with a separator between them.",
            .compute(TextFunctions.join)
        ),
        ExpressionFunction(
            "replace",
            [Parameter("text", .string), Parameter("part", .string), Parameter("with", .string)],
            .string,
            "The text with each occurrence of a part replaced.",
            .compute(TextFunctions.replace)
        ),
        ExpressionFunction(
            "contains",
            [Parameter("value", [.string, .array, .object]), Parameter("part", .any)],
            .boolean,
            "Whether a text has a part, a list an element, or an object a member of a name.",
            work: .everything,
            .compute(TextFunctions.contains)
        ),
        ExpressionFunction(
            "startsWith",
            [Parameter("text", .string), Parameter("beginning", .string)],
            .boolean,
            "Whether a text begins with another.",
            .compute(TextFunctions.startsWith)
        ),
        ExpressionFunction(
            "endsWith",
            [Parameter("text", .string), Parameter("ending", .string)],
            .boolean,
            "Whether a text ends with another.",
            .compute(TextFunctions.endsWith)
        ),
        ExpressionFunction(
            "capture",
            [Parameter("text", .string), Parameter("pattern", .string)],
            .string,
            "What the first group of a pattern (I-Regexp) matches in a text, or the whole match.",
            .form(.pattern(.capture))
        ),

        // Conversions
        ExpressionFunction(
            "number",
            [Parameter("value", [.string, .number])],
            .number,
            "The number that a text is, in JSON's notation.",
            .compute(ConversionFunctions.number)
        ),
        ExpressionFunction(
            "string",
            [Parameter("value", [.text, .bytes])],
            .string,
            "A number, a boolean, or bytes in UTF-8, as text.",
            .compute(ConversionFunctions.string)
        ),
        ExpressionFunction(
            "json",
            [Parameter("value", .any)],
            .string,
            "A value as JSON text.",
            work: .everything,
            .compute(ConversionFunctions.json)
        ),
        ExpressionFunction(
            "parse",
            [Parameter("text", .string)],
            .any,
            "The value of a JSON text.",
            .compute(ConversionFunctions.parse)
        ),
        ExpressionFunction(
            "base64",
            [Parameter("value", [.string, .bytes])],
            .string,
            "Bytes, or the UTF-8 bytes of a text, in Base64 (RFC 4648).",
            .compute(ConversionFunctions.base64)
        ),
        ExpressionFunction(
            "unbase64",
            [Parameter("text", .string)],
            .string,
            "The text whose UTF-8 bytes are given in Base64, usual or URL-safe.",
            .compute(ConversionFunctions.unbase64)
        ),
        ExpressionFunction(
            "urlencode",
            [Parameter("value", .text)],
            .string,
            "A text percent-encoded for any part of a URL (RFC 3986).",
            .compute(ConversionFunctions.urlencode)
        ),
        ExpressionFunction(
            "raw",
            [Parameter("value", .text)],
            .text,
            "The value, marked so that a path keeps its slashes and its query.",
            .markRaw
        ),
        ExpressionFunction(
            "sha256",
            [Parameter("value", [.string, .bytes]), Parameter("encoding", .string, isOptional: true)],
            .string,
            "The SHA-256 digest of a text or of bytes as 'hex' (or 'base64', 'base64url').",
            concealsSecrets: true,
            .compute(DigestFunctions.sha256)
        ),
        ExpressionFunction(
            "hmac",
            [
                Parameter("key", [.string, .bytes]), Parameter("value", [.string, .bytes]),
                Parameter("encoding", .string, isOptional: true),
            ],
            .string,
            "The HMAC-SHA-256 of a text or of bytes under a key as 'hex' (or 'base64', 'base64url').",
            concealsSecrets: true,
            .compute(DigestFunctions.hmac)
        ),

        // Lists and objects
        ExpressionFunction(
            "keys",
            [Parameter("object", .object)],
            .array,
            "The names of an object's members, in order.",
            .compute(ListFunctions.keys)
        ),
        ExpressionFunction(
            "values",
            [Parameter("object", .object)],
            .array,
            "The values of an object's members, in order.",
            .compute(ListFunctions.values)
        ),
        ExpressionFunction(
            "first",
            [Parameter("list", .array)],
            .any,
            "The first element of a list.",
            work: .constant,
            .compute(ListFunctions.first)
        ),
        ExpressionFunction(
            "last",
            [Parameter("list", .array)],
            .any,
            "The last element of a list.",
            work: .constant,
            .compute(ListFunctions.last)
        ),
        ExpressionFunction(
            "sum",
            [Parameter("list", .array)],
            .number,
            "The sum of a list of numbers.",
            .compute(ListFunctions.sum)
        ),
        ExpressionFunction(
            "min",
            [Parameter("list", .array)],
            [.number, .string],
            "The least number or text of a list.",
            .compute(ListFunctions.min)
        ),
        ExpressionFunction(
            "max",
            [Parameter("list", .array)],
            [.number, .string],
            "The greatest number or text of a list.",
            .compute(ListFunctions.max)
        ),
        ExpressionFunction(
            "sort",
            [Parameter("list", .array)],
            .array,
            "A list of numbers or of texts in rising order.",
            .compute(ListFunctions.sort)
        ),
        ExpressionFunction(
            "unique",
            [Parameter("list", .array)],
            .array,
            "A list without repeated elements; the first of equals stays.",
            work: .everything,
            .compute(ListFunctions.unique)
        ),
        ExpressionFunction(
            "range",
            [
                Parameter("start", .number), Parameter("end", .number, isOptional: true),
                Parameter("step", .number, isOptional: true),
            ],
            .array,
            "The whole numbers from a start (0 if only an end is given) up to, without, an end.",
            .compute(ListFunctions.range)
        ),

        // Time, chance, files
        ExpressionFunction(
            "now",
            [],
            .string,
            "The present moment as RFC 3339 writes it, in UTC.",
            isAmbient: true,
            .compute(TimeFunctions.now)
        ),
        ExpressionFunction(
            "date",
            [Parameter("moment", [.number, .string]), Parameter("format", .string, isOptional: true)],
            .string,
            "A moment (seconds since 1970, or RFC 3339) as RFC 3339 writes it, or by a format such as '%Y-%m-%d'.",
            .compute(TimeFunctions.date)
        ),
        ExpressionFunction(
            "epoch",
            [Parameter("moment", [.string, .number], isOptional: true)],
            .number,
            "The seconds from 1970 to a moment (RFC 3339), or to now.",
            isAmbient: true,
            .compute(TimeFunctions.epoch)
        ),
        ExpressionFunction(
            "uuid",
            [],
            .string,
            "A random identifier, the same in all attempts of a step.",
            isAmbient: true,
            .compute(TimeFunctions.uuid)
        ),
        ExpressionFunction(
            "file",
            [Parameter("path", .string)],
            .string,
            "The text of a file.",
            isAmbient: true,
            .compute(TimeFunctions.file)
        ),
    ]
}
