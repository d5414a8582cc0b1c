function __waybill_should_offer_subcommands -a expected_commands
    # The generated condition is also true after a word that is no command.
    set -l commands waybill (string match -v -- '-*' (__waybill_tokens -pc)[2..])
    test "$commands" = "$expected_commands"
end

function __waybill_paths
    # Fish's own candidates that are folders or have one of the extensions. A description follows the tab.
    set -l word (commandline -ct | string replace -r -- '^--[a-z-]+=' '')
    set -l ends / \\.(string trim -lc . -- $argv)
    complete -C "__fish_command_without_completions $word" \
        | string replace -fr -- "^([^\t]*(?:$(string join '|' -- $ends)))(?:\t.*)?\$" '$1\t'
end
