__waybill_add_completions() {
    if [[ "${1}" = -W ]]; then are_names=true; fi
    local completion
    while IFS='' read -r completion; do
        COMPREPLY+=("${completion}")
    done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
}

_waybill_whole_words() {
    # The words of the line, and the one to complete up to the cursor.
    local line="${COMP_LINE}" rest word part cursor_word='' quoted=''
    local -a whole=()
    local -i index last=-1 cursor_index=0
    for index in "${!COMP_WORDS[@]}"; do
        word="${COMP_WORDS[index]}"
        rest="${line#"${line%%[![:space:]]*}"}"
        if [[ "${last}" -ge 0 && "${rest}" = "${line}" ]] \
            && [[ "${word}" = [=:]* || "${whole[last]}" = *[=:] ]]; then
            part="${whole[last]}"
            whole[last]+="${word}"
        else
            part=''
            last+=1
            whole[last]="${word}"
        fi
        line="${rest#"${word}"}"
        if [[ "${index}" -eq "${COMP_CWORD}" ]]; then
            cursor_index="${last}"
            # Readline's part is empty if the cursor is after a separator.
            if [[ -z "${2}" && "${word}" = [=:]* ]]; then part+="${word}"; fi
            cursor_word="${part}${2}"
            if [[ "${word}" = *[\"\']* ]]; then quoted="${word:0:1}"; fi
        fi
    done

    local -a COMP_WORDS=("${whole[@]}")
    local -i COMP_CWORD="${cursor_index}"
    local option='' previous="${whole[cursor_index > 0 ? cursor_index - 1 : 0]}"
    if [[ "${cursor_word}" = --*=* ]]; then
        previous="${cursor_word%%=*}"
        option="${previous}="
    fi
    # The program is called by this word, in which a function does not expand '~'.
    if [[ "${COMP_WORDS[0]}" = \~/* ]]; then COMP_WORDS[0]="${HOME}${COMP_WORDS[0]#\~}"; fi
    # The generated function leaves a trap that would reset the options of the shell later.
    local are_names=false return_trap
    return_trap="$(trap -p RETURN)"
    _waybill "${1}" "${cursor_word#"${option}"}" "${previous}" 2>/dev/null
    trap - RETURN
    eval "${return_trap}"

    local -r kept="${cursor_word%"${2}"}"
    local -a replies=()
    for word in "${COMPREPLY[@]}"; do
        word="${option}${word}"
        word="${word#"${kept}"}"
        printf -v part %q "${word}"
        if ! "${are_names}" || [[ "${part}" = "${word}" ]]; then
            replies+=("${word}")
        elif [[ -z "${quoted}" ]]; then
            replies+=("${part}")
        elif [[ "${word}" = *"${quoted}" ]]; then
            # Readline would take this quote for the closing one.
            continue
        elif [[ "${quoted}" = \' ]]; then
            replies+=("$(sed "s/'/'\\\\''/g" <<<"${word}")")
        elif [[ "${quoted}" = \" && "${word}" != *!* ]]; then
            # No backslash protects '!' in double quotes.
            replies+=("$(sed 's/[\\"$`]/\\&/g' <<<"${word}")")
        fi
    done
    COMPREPLY=("${replies[@]}")
    if "${are_names}"; then
        compopt +o filenames 2>/dev/null
        # A value follows '=', and a name follows '/'.
        if [[ "${#replies[@]}" -eq 1 && "${replies[0]}" = *[=/] ]]; then compopt -o nospace 2>/dev/null; fi
    fi
}

complete -o filenames -F _waybill_whole_words waybill
