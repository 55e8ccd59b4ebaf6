internal import SystemCalls
