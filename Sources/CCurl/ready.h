#pragma once

#include <stdbool.h>

/// Initializes libcurl at the first call. Each call returns whether that succeeded.
bool curl_is_ready(void);
