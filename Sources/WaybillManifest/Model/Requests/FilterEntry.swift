package import WaybillDiagnostics
package import WaybillJSON
package import WaybillSchema

/// One entry of a list of filters: a named filter, or a stage written in place.
package enum FilterEntry: Sendable {
    /// A filter by its name; whether it runs on every status, not only on 2xx.
    case named(Spanned<String>, onEveryStatus: Bool)
    /// A stage.
    case stage(FilterStage)
}

/// One thing that a filter does to the data of an answer.
package enum FilterStage: Sendable {
    /// A condition on the data; the server's code and message are taken from it where it does not hold.
    case require(that: ManifestExpression, code: ManifestExpression?, message: ManifestExpression?)
    /// Replaces the data by the value of an expression, or by a default where nothing matches.
    case select(ManifestExpression, default: ValueTemplate?)
    /// Checks the code of an envelope and replaces the envelope by its content.
    case envelope(Envelope)
    /// Replaces each element of a list, or else the value, by a template.
    case map(ValueTemplate)
    /// Keeps the elements for which a condition holds.
    case `where`(ManifestExpression)
    /// Keeps members of an object, or of each object of a list.
    case pick([Spanned<String>])
    /// Leaves members out.
    case omit([Spanned<String>])
    /// Gives members other names.
    case rename([(old: Spanned<String>, new: Spanned<String>)])
    /// Adds members.
    case set([(name: Spanned<String>, value: ManifestExpression)])
    /// Sorts a list.
    case sort(by: ManifestExpression?, isDescending: Bool)
    /// Leaves out elements that are the same as an earlier one.
    case unique(by: ManifestExpression?)
    /// Keeps the first elements.
    case limit(Int)
    /// Replaces each list in a list by its elements.
    case flatten
    /// Decodes a text once more.
    case decode(Format)
    /// Refuses data that a schema does not accept.
    case schema(JSONSchema)
    /// Takes the place of data that is null or absent.
    case `default`(ValueTemplate)

    /// What a text can be decoded as.
    package enum Format: String, Sendable, CaseIterable {
        case json, plist
    }

    /// What an envelope looks like.
    package struct Envelope: Sendable {
        /// Where the code is.
        package var code: ManifestExpression
        /// The codes of success; numeric strings compare as numbers.
        package var ok: [JSON]
        /// Where the server's message is.
        package var message: ManifestExpression?
        /// Where the content is; the envelope itself when nothing is said.
        package var data: ManifestExpression?
    }

    /// The key that the stage is written with.
    package var name: String {
        switch self {
        case .require: "require"
        case .select: "select"
        case .envelope: "envelope"
        case .map: "map"
        case .where: "where"
        case .pick: "pick"
        case .omit: "omit"
        case .rename: "rename"
        case .set: "set"
        case .sort: "sort"
        case .unique: "unique"
        case .limit: "limit"
        case .flatten: "flatten"
        case .decode: "decode"
        case .schema: "schema"
        case .default: "default"
        }
    }
}
