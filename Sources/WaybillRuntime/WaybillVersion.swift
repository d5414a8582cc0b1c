/// The version of this Waybill.
package enum WaybillVersion {
    /// A semantic version; `waybill --version` prints it and the User-Agent field names it.
    package static let current = "0.1.0"
}
