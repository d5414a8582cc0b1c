/* Reads a file and scans its YAML events with libyaml, and does nothing with them: what `waybill validate` is measured
   against. Prints the number of events. */
#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

static unsigned char *contents(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) return NULL;
    long length = ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(length > 0 ? (size_t)length : 1);
    *size = bytes ? fread(bytes, 1, (size_t)length, file) : 0;
    fclose(file);
    return bytes;
}

int main(int argc, char **argv)
{
    size_t size = 0;
    unsigned char *bytes = argc == 2 ? contents(argv[1], &size) : NULL;
    if (!bytes) {
        fprintf(stderr, "usage: scan FILE\n");
        return 2;
    }
    yaml_parser_t parser;
    yaml_event_t event;
    if (!yaml_parser_initialize(&parser)) return 3;
    yaml_parser_set_input_string(&parser, bytes, size);
    long events = 0;
    for (int done = 0; !done; events++) {
        if (!yaml_parser_parse(&parser, &event)) {
            fprintf(stderr, "line %zu: %s\n", parser.problem_mark.line + 1, parser.problem);
            return 1;
        }
        done = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    free(bytes);
    printf("%ld events\n", events);
    return 0;
}
