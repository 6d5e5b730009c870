#include "nttforge/ntt/recipe.hpp"

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"

using namespace nttforge;

NTTF_TEST("recipes survive JSON") {
  const NttRecipe recipe{
      Target::avx512_ifma, {Arithmetic::ifma52, Arithmetic::shoup64, Arithmetic::goldilocks}, 4, 3};
  NTTF_CHECK(
      recipe.to_json() ==
      R"({"target": "avx512_ifma", "arithmetic": ["ifma52", "shoup64", "goldilocks"], "radix": 4, "threads": 3})");
  NTTF_CHECK(NttRecipe::from_json(recipe.to_json()) == recipe);
  const NttRecipe other{Target::avx2, {Arithmetic::shoup32}, 2, 1};
  NTTF_CHECK(NttRecipe::from_json(other.to_json()) == other);
  NTTF_CHECK(!(recipe == other));
}

NTTF_TEST("what bad recipe texts get") {
  const auto rejects = [](const char* text, const char* message) {
    NTTF_CHECK_THROWS(NttRecipe::from_json(text), FormatError, message);
  };
  rejects("", "");
  rejects("[]", "expected a JSON object");
  rejects(R"({"target":"scalar","arithmetic":["shoup64"],"radix":4})", "threads");
  rejects(R"({"target":"sse9","arithmetic":["shoup64"],"radix":4,"threads":1})", "sse9");
  rejects(R"({"target":"scalar","arithmetic":["shoup65"],"radix":4,"threads":1})",
          "arithmetic = \"shoup65\" is unknown");
  rejects(R"({"target":"scalar","arithmetic":"shoup64","radix":4,"threads":1})", "");
  rejects(R"({"target":"scalar","arithmetic":["shoup64"],"radix":4294967300,"threads":1})",
          "\"radix\" = 4294967300");
  rejects(R"({"target":"scalar","arithmetic":["shoup64"],"radix":-4,"threads":1})", "");
  rejects(R"({"target":"scalar","arithmetic":["shoup64"],"radix":4,"threads":1,"speed":9})",
          "unknown member \"speed\"");
}

NTTF_TEST("arithmetic names and their inverse") {
  for (const Arithmetic a : {Arithmetic::shoup64, Arithmetic::shoup32, Arithmetic::ifma52, Arithmetic::fp64,
                             Arithmetic::goldilocks}) {
    NTTF_CHECK(parse_arithmetic(arithmetic_name(a)) == a);
  }
  NTTF_CHECK_THROWS(parse_arithmetic("dgt"), ParameterError,
                    "known: shoup64, shoup32, ifma52, fp64, goldilocks");
}
