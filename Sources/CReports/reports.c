#include "reports.h"

static const unsigned char style[] = {
#embed "../WaybillResults/Reports/HTML/report.css"
};

struct report_file report_style(void) {
    return (struct report_file){style, sizeof style};
}

static const unsigned char script[] = {
#embed "../WaybillResults/Reports/HTML/report.js"
};

struct report_file report_script(void) {
    return (struct report_file){script, sizeof script};
}
