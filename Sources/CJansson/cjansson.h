// JSON text in and out, strict about duplicate keys, NUL and lone surrogates.
#include <jansson.h>
