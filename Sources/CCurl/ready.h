#pragma once

#include <stdbool.h>

/// Initializes libcurl at the first call. Returns whether that succeeded, at each call.
bool curl_is_ready(void);
