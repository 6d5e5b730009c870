# SPDX-License-Identifier: Apache-2.0
# Sets `zig` to the Zig compiler of the wheel `ziglang`, which the Python that PYTHON of the environment names must have,
# or python3.
set(python "$ENV{PYTHON}")
if(NOT python)
  set(python python3)
endif()
execute_process(COMMAND "${python}" -c "import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), 'zig'))"
  OUTPUT_VARIABLE zig OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE missing)
if(missing)
  message(FATAL_ERROR "The Zig compiler is missing: run '${python} -m pip install ziglang', or name another Python with PYTHON=...")
endif()
file(TO_CMAKE_PATH "${zig}" zig)
