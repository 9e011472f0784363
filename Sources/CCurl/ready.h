#pragma once

#include <stdbool.h>

/// Whether libcurl can be used; sets it up at the first call.
bool curl_is_ready(void);
