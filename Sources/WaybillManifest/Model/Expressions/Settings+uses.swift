extension Settings {
    /// Visits every use of the expression language in the settings.
    package func visitUses(_ visitor: UseVisitor) {
        for index in entries.indices { entries[index].value.visitUses(visitor) }
    }
}
