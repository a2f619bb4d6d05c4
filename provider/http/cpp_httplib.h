// Private to provider/http, and the one place that includes cpp-httplib: it takes five seconds to compile, its macros come from
// its .pc file, and nothing outside this directory shall get used to its types.
#pragma once

#include "httplib.h"
