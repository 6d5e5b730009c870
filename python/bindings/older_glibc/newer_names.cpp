// SPDX-License-Identifier: Apache-2.0
// Names that g++'s headers and its C++ library take from a glibc newer than the one that the module is linked
// against: the module brings them. Declared here, since the headers would rename what is called to what is
// defined.

extern "C" {

#define NTTF_LOCAL __attribute__((visibility("hidden")))

// Since glibc 2.32: zero says that there may be threads, which is always right.
NTTF_LOCAL char __libc_single_threaded = 0;

// Since glibc 2.38: the functions without the prefix, and binary digits too, which nothing here reads.
long strtol(const char*, char**, int);
unsigned long strtoul(const char*, char**, int);
long long strtoll(const char*, char**, int);
unsigned long long strtoull(const char*, char**, int);

NTTF_LOCAL long __isoc23_strtol(const char* text, char** end, int base) { return strtol(text, end, base); }
NTTF_LOCAL unsigned long __isoc23_strtoul(const char* text, char** end, int base) {
  return strtoul(text, end, base);
}
NTTF_LOCAL long long __isoc23_strtoll(const char* text, char** end, int base) {
  return strtoll(text, end, base);
}
NTTF_LOCAL unsigned long long __isoc23_strtoull(const char* text, char** end, int base) {
  return strtoull(text, end, base);
}
}
