// Which file of this folder is compiled: ACHILLES_PORTABLE selects the standard library alone.
#pragma once

#if !defined(ACHILLES_PORTABLE) && (defined(__unix__) || defined(__APPLE__))
#define ACHILLES_POSIX 1
#else
#define ACHILLES_POSIX 0
#endif
