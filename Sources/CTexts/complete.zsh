__waybill_complete() {
    setopt local_options bang_hist
    local -ar whole=("${@:#*(=|/)}")
    local -ar starts=("${(M)@:#*(=|/)}")
    _describe -V '' whole -- starts -S ''
}
