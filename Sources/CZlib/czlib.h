// crc32 for the checksum of a record.
#include <zlib.h>
