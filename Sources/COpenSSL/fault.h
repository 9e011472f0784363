#pragma once

#include "COpenSSL.h"

/// Maps a verification code of OpenSSL (X509_V_ERR_…) to a fault.
COpenSSLFault session_certificate_fault(long verdict);
