#pragma once

#include <stdbool.h>

/// Initializes libcurl at the first call; false if that failed.
bool curl_is_ready(void);
