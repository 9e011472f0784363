#define _GNU_SOURCE
#include "CSystemd.h"

#include <pthread.h>

int chime_thread_name(const char *name) { return -pthread_setname_np(pthread_self(), name); }
