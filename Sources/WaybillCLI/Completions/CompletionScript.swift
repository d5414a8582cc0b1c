import ArgumentParser

/// The completion scripts: those that ArgumentParser generates, with what they need in addition.
enum CompletionScript {
    /// Returns the script for a shell.
    static func text(for shell: CompletionsCommand.Shell) -> String {
        switch shell {
        case .bash: WaybillCommand.completionScript(for: .bash) + "\n\n" + bash + "\n"
        case .zsh:
            WaybillCommand.completionScript(for: .zsh).replacing(zshStart, with: zsh + "\n\n" + zshStart) + "\n"
        case .fish: WaybillCommand.completionScript(for: .fish) + "\n"
        }
    }

    /// The generated function needs whole words, but bash splits them at '=' and ':' too, which belong to values such as
    /// NAME=VALUE, and readline replaces only the part after the last of these. Besides, readline quotes names only like
    /// paths, which leaves '$' as it is, and treats a name like a folder of the same name.
    private static let bash = #"""
        __waybill_add_completions() {
            if [[ "${1}" = -W ]]; then are_names=true; fi
            local completion
            while IFS='' read -r completion; do
                COMPREPLY+=("${completion}")
            done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
        }

        _waybill_whole_words() {
            # The words of the line, and the one to complete up to the cursor.
            local line="${COMP_LINE}" rest word part cursor_word=''
            local -a whole=()
            local -i index last=-1 cursor_index=0
            local is_quoted=false
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
                    if [[ "${word}" = *[\"\']* ]]; then is_quoted=true; fi
                fi
            done

            local -a COMP_WORDS=("${whole[@]}")
            local -i COMP_CWORD="${cursor_index}"
            # The generated function leaves a trap that would reset the options of the shell later.
            local are_names=false return_trap
            return_trap="$(trap -p RETURN)"
            _waybill "${1}" "${cursor_word}" "${whole[cursor_index > 0 ? cursor_index - 1 : 0]}" 2>/dev/null
            trap - RETURN
            eval "${return_trap}"

            local -r kept="${cursor_word%"${2}"}"
            local -a replies=()
            for word in "${COMPREPLY[@]}"; do
                word="${word#"${kept}"}"
                printf -v part %q "${word}"
                if ! "${are_names}"; then
                    replies+=("${word}")
                elif ! "${is_quoted}" || [[ "${part}" = "${word}" ]]; then
                    # In quotes, backslashes have another meaning.
                    replies+=("${part}")
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
        """#

    /// The line of the generated script before which functions of its own can be replaced.
    private static let zshStart = #"if [[ "${funcstack[1]}" = _waybill ]]; then"#

    /// Zsh puts a space after each candidate, but a value follows '=', and a name follows '/'. It quotes '!' only with the
    /// option that gives it a meaning, which the generated function switches off.
    private static let zsh = #"""
        __waybill_complete() {
            setopt local_options bang_hist
            local -ar whole=("${@:#*(=|/)}")
            local -ar starts=("${(M)@:#*(=|/)}")
            _describe -V '' whole -- starts -S ''
        }
        """#
}
