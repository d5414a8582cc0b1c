// A function of libcurl's, or of a library that it brings along, in a program that is linked with them; NULL for others.
void *waybill_linked_function(const char *name);
