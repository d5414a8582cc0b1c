import WaybillFormats
import WaybillJSON

/// The formats that can be asserted (JSON Schema Validation, section 7.3).
package enum StringFormat: String, Sendable, CaseIterable {
    case dateTime = "date-time"
    case date, time, duration
    case email
    case idnEmail = "idn-email"
    case hostname
    case idnHostname = "idn-hostname"
    case ipv4, ipv6
    case uri
    case uriReference = "uri-reference"
    case iri
    case iriReference = "iri-reference"
    case uriTemplate = "uri-template"
    case uuid
    case jsonPointer = "json-pointer"
    case relativeJSONPointer = "relative-json-pointer"
    case regex

    /// Whether a string has the format; false once `WorkLimit` is reached.
    func accepts(_ string: String) -> Bool {
        switch self {
        case .dateTime: DateTimeFormat.isDateTime(string)
        case .date: DateTimeFormat.isDate(string)
        case .time: DateTimeFormat.isTime(string)
        case .duration: DateTimeFormat.isDuration(string)
        case .email: EmailFormat.isEmail(string, isInternational: false)
        case .idnEmail: EmailFormat.isEmail(string, isInternational: true)
        case .hostname: HostnameFormat.isHostname(string)
        case .idnHostname: HostnameFormat.isInternationalHostname(string)
        case .ipv4: AddressFormat.isIPv4(string)
        case .ipv6: AddressFormat.isIPv6(string)
        case .uri: URIFormat.isURI(string, isInternational: false)
        case .uriReference: URIFormat.isReference(string, isInternational: false)
        case .iri: URIFormat.isURI(string, isInternational: true)
        case .iriReference: URIFormat.isReference(string, isInternational: true)
        case .uriTemplate: URITemplateFormat.isTemplate(string)
        case .uuid: PointerFormat.isUUID(string)
        case .jsonPointer: PointerFormat.isPointer(string.utf8[...])
        case .relativeJSONPointer: PointerFormat.isRelativePointer(string)
        case .regex: (try? RegularExpression(string, .ecmaScript)) != nil
        }
    }

    /// The format in words, with an example if that is clearer.
    var words: String {
        switch self {
        case .dateTime: "a date and time such as 2026-11-21T05:27:03Z"
        case .date: "a date such as 2026-11-21"
        case .time: "a time with its offset such as 05:27:03Z"
        case .duration: "a duration such as PT15M"
        case .email, .idnEmail: "an email address"
        case .hostname, .idnHostname: "a host name"
        case .ipv4: "an IPv4 address such as 192.0.2.1"
        case .ipv6: "an IPv6 address such as 2001:db8::1"
        case .uri, .iri: "an absolute URI such as https://example.com/"
        case .uriReference, .iriReference: "a URI or a relative reference"
        case .uriTemplate: "a URI template such as /users/{id}"
        case .uuid: "a UUID such as 2eb8aa08-aa98-11ea-b4aa-73b441d16380"
        case .jsonPointer: "a JSON Pointer such as /items/0"
        case .relativeJSONPointer: "a relative JSON Pointer such as 1/items"
        case .regex: "a regular expression"
        }
    }
}
