// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/recipe.hpp"

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"

using namespace nttforge;

NTTF_TEST("recipes survive JSON") {
  const NttRecipe recipe{
      Target::avx512_ifma, {Arithmetic::ifma52, Arithmetic::shoup64, Arithmetic::goldilocks}, 4, 3};
  NTTF_CHECK(
      recipe.to_json() ==
      R"({"target": "avx512_ifma", "arithmetic": ["ifma52", "shoup64", "goldilocks"], "radix": 4, "threads": 3, "algorithm": "merged", "twiddles": "table"})");
  NTTF_CHECK(NttRecipe::from_json(recipe.to_json()) == recipe);
  const NttRecipe other{Target::avx2, {Arithmetic::shoup32}, 2, 1};
  NTTF_CHECK(NttRecipe::from_json(other.to_json()) == other);
  NTTF_CHECK(!(recipe == other));
  NttRecipe named = other;
  named.algorithm = "stockham";
  named.twiddles = {TwiddleSource::on_the_fly, 1024, 2};
  NTTF_CHECK(NttRecipe::from_json(named.to_json()) == named);
  NTTF_CHECK(!(named == other));
}

NTTF_TEST("recipes without the younger members get their defaults") {
  const NttRecipe recipe =
      NttRecipe::from_json(R"({"target":"scalar","arithmetic":["shoup64"],"radix":4,"threads":1})");
  NTTF_CHECK_EQ(recipe.algorithm, std::string("merged"));
  NTTF_CHECK(recipe.twiddles == TwiddlePolicy{});
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
  const std::string whole = R"({"target":"scalar","arithmetic":["shoup64"],"radix":4,"threads":1,)";
  rejects((whole + R"("twiddles":"guessed"})").c_str(), "known: table, on_the_fly");
  rejects((whole + R"("twiddles":"on_the_fly","base":64})").c_str(), "stages");
  rejects((whole + R"("base":64})").c_str(), "go with");
  rejects((whole + R"("algorithm":7})").c_str(), "");
}

NTTF_TEST("arithmetic names and their inverse") {
  for (const auto& [arithmetic, name] : kArithmetics) {
    NTTF_CHECK(arithmetic_name(arithmetic) == name);
    NTTF_CHECK(parse_arithmetic(name) == arithmetic);
  }
  NTTF_CHECK_THROWS(parse_arithmetic("dgt"), ParameterError, "known: shoup64, shoup32, ");
}
