// Whether this is compiled for a sanitizer that brings its own malloc: g++ and clang say so in different ways.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ACHILLES_OWN_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ACHILLES_OWN_MALLOC 0
#endif
#endif
#ifndef ACHILLES_OWN_MALLOC
#define ACHILLES_OWN_MALLOC 1  // ours may be put in its place
#endif
