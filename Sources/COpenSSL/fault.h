#pragma once

#include "COpenSSL.h"

/// What one of OpenSSL's verdicts on a certificate means.
COpenSSLFault session_certificate_fault(long verdict);
