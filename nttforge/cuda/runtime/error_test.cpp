// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/error.hpp"

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"

namespace nttforge::cuda {
namespace {

void fail_with(int code, int driver = 13000, int device = 1) {
  throw_failure({code, "cudaErrorSomething", "doing a thing", device, driver, 13000, "90"});
}

NTTF_TEST("codes of the CUDA runtime become errors with a remedy") {
  fail_with(0);
  NTTF_CHECK_THROWS(fail_with(35, 0), UnsupportedError, "no NVIDIA driver is loaded");
  NTTF_CHECK_THROWS(fail_with(35, 12040), UnsupportedError, "runs CUDA 12.4 and this build needs 13.0");
  NTTF_CHECK_THROWS(fail_with(803), UnsupportedError, "install a newer driver");
  NTTF_CHECK_THROWS(fail_with(3), UnsupportedError, "use spawn (in Python multiprocessing");
  NTTF_CHECK_THROWS(fail_with(100), UnsupportedError, "CUDA_VISIBLE_DEVICES");
  NTTF_CHECK_THROWS(fail_with(101), ParameterError, "device = 1 does not exist");
  NTTF_CHECK_THROWS(fail_with(46), UnsupportedError, "holds it exclusively");
  for (const int code : {98, 200, 209, 218, 221, 222, 223}) {
    NTTF_CHECK_THROWS(fail_with(code), UnsupportedError,
                      "built for 90; build with -DNTTFORGE_CUDA_ARCHITECTURES");
  }
  NTTF_CHECK_THROWS(fail_with(2), UnsupportedError, "out of memory");
  for (const int code : {9, 701, 720, 912})
    NTTF_CHECK_THROWS(fail_with(code), UnsupportedError, "another recipe");
  NTTF_CHECK_THROWS(fail_with(400), ParameterError, "was destroyed");
  for (const int code : {201, 709}) NTTF_CHECK_THROWS(fail_with(code), ContextError, "GPU 1 was reset");
  for (const int code : {900, 901, 906, 908})
    NTTF_CHECK_THROWS(fail_with(code), UnsupportedError, "captured");
  for (const int code : {214, 700, 702, 710, 714, 715, 716, 717, 718, 719}) {
    NTTF_CHECK_THROWS(fail_with(code), Error, "end the process");
  }
  NTTF_CHECK_THROWS(fail_with(4), Error, "process is ending");
  NTTF_CHECK_THROWS(fail_with(999), Error,
                    "a CUDA call failed (cudaErrorSomething, error 999 while doing a thing)");
  NTTF_CHECK_THROWS(fail_with(100, 13000, -1), UnsupportedError, "no NVIDIA GPU");
}

NTTF_TEST("CUDA versions read as people write them") {
  NTTF_CHECK_EQ(version_text(13000), std::string("13.0"));
  NTTF_CHECK_EQ(version_text(12080), std::string("12.8"));
}

}  // namespace
}  // namespace nttforge::cuda
