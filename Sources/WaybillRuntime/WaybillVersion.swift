/// The version of this Waybill.
package enum WaybillVersion {
    /// A semantic version; `waybill --version` prints it and the User-Agent field names it. Between releases it is that
    /// of the next release with `-dev`.
    package static let current = "0.2.0-dev"
}
