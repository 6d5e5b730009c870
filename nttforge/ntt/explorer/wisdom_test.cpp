// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/wisdom.hpp"

#include <bit>
#include <cstdlib>
#include <filesystem>

#include "nttforge/base/error.hpp"
#include "nttforge/base/text/file.hpp"
#include "nttforge/base/text/json.hpp"
#include "nttforge/ntt/candidates.hpp"
#include "nttforge/ntt/kernels.hpp"
#include "nttforge/ntt/plan.hpp"
#include "nttforge/ntt/testing.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

NttSpec mixed_spec(std::size_t n = 1024) {
  return {n, {largest_prime(n, 50), largest_prime(n, 49), largest_prime(n, 61), kGoldilocks}};
}

NttRecipe scalar_recipe(const NttSpec& spec, unsigned radix, unsigned threads = 1) {
  for (const NttRecipe& recipe : candidate_recipes(spec, std::vector{Target::scalar}, threads)) {
    if (recipe.radix == radix) return recipe;
  }
  return {};
}

Wisdom some_wisdom() {
  Wisdom wisdom;
  for (const std::size_t n : {64u, 1024u}) {
    for (const unsigned threads : {1u, 2u}) {
      const NttSpec spec = mixed_spec(n);
      wisdom.remember(spec, {threads, 3}, scalar_recipe(spec, 2, threads), 1234.5 * static_cast<double>(n));
    }
  }
  return wisdom;
}

}  // namespace

NTTF_TEST("wisdom: a recipe is found for its use, by class of modulus and not by modulus") {
  const NttSpec spec = mixed_spec();
  // A recipe that the explorer would not choose shows which one a plan took.
  const NttRecipe odd = scalar_recipe(spec, 2);
  NTTF_CHECK(choose_recipe(spec, active_target()) != odd);
  Wisdom wisdom;
  NTTF_CHECK(!wisdom.find(spec));
  wisdom.remember(spec, {}, odd, 100);
  NTTF_CHECK(wisdom.find(spec) == odd);
  NTTF_CHECK(NttPlan(spec, wisdom).recipe() == odd);
  NTTF_CHECK(NttPlan(spec, Wisdom()).recipe() == NttPlan(spec).recipe());

  NttSpec other = spec;
  std::swap(other.moduli[0], other.moduli[1]);  // of one class
  NTTF_CHECK(wisdom.find(other) == odd);
  NTTF_CHECK(wisdom.find(spec, {1, 7}) == odd);  // one thread: the batch does not matter
  const auto misses = [&](NttSpec changed, const WisdomUse& use = {}) {
    NTTF_CHECK(!wisdom.find(changed, use));
    NTTF_CHECK(NttPlan(changed, wisdom, use.threads, use.batch).recipe() ==
               NttPlan(changed, use.threads).recipe());
  };
  misses(spec, {2, 1});
  misses(mixed_spec(2048));
  other = spec;
  other.ring = Ring::cyclic;
  misses(other);
  other = spec;
  other.output_order = Order::natural;
  misses(other);
  other = spec;
  other.input_order = Order::bit_reversed;
  misses(other);
  other = spec;
  other.moduli.pop_back();
  misses(other);
  other = spec;
  std::swap(other.moduli[0], other.moduli[2]);
  misses(other);
  const NttSpec one{1024, {spec.moduli[0]}};
  wisdom.remember(one, {}, scalar_recipe(one, 2), 5);
  other = one;
  other.transform = Transform::dgt;
  misses(other);
  NttSpec small{64, {largest_prime(64, 30)}};
  wisdom.remember(small, {}, scalar_recipe(small, 2), 5);
  small.word_bits = 32;
  misses(small);
  NTTF_CHECK(!wisdom.find({64, {largest_prime(64, 30)}}, {1, 1, Target::scalar}) ==
             (active_target() != Target::scalar));
}

NTTF_TEST("wisdom: classes are the limits of kernels, so that moduli of one class have the same kernels") {
  NTTF_CHECK_EQ(modulus_class(kGoldilocks, 64), "goldilocks");
  NTTF_CHECK_EQ(modulus_class((std::uint64_t{1} << 62) - 57, 64), "2^62");
  NTTF_CHECK_EQ(modulus_class((std::uint64_t{1} << 31) + 11, 32), "2^32");
  for (const auto& row : transform_kernels<std::uint64_t>()) {
    if (row.q_limit == 0) continue;
    const std::string name = "2^" + std::to_string(std::bit_width(row.q_limit) - 1);
    NTTF_CHECK_EQ(modulus_class(row.q_limit - 1, 64), name);
    NTTF_CHECK(modulus_class(row.q_limit + 1, 64) != name);
  }
}

NTTF_TEST("wisdom: what may not be remembered") {
  const NttSpec spec = mixed_spec();
  Wisdom wisdom;
  const auto rejects = [&](const NttRecipe& recipe, double ns, const WisdomUse& use, const char* text) {
    NTTF_CHECK_THROWS(wisdom.remember(spec, use, recipe, ns), ParameterError, text);
  };
  const NttRecipe good = scalar_recipe(spec, 2);
  for (const double ns : {0.0, -1.0, 1.0 / 0.0 * 1.0, 0.0 / 0.0 * 1.0}) rejects(good, ns, {}, "ns = ");
  rejects(scalar_recipe(spec, 2, 2), 1, {}, "recipe.threads = 2 is more than threads = 1");
  NttRecipe bad = good;
  bad.radix = 3;
  rejects(bad, 1, {}, "recipe.radix = 3");
  bad = good;
  bad.target = Target::avx2;
  rejects(bad, 1, {1, 1, Target::scalar}, "recipe.target = avx2 is above target scalar");
  rejects(good, 1, {2, 0}, "\"batch\" = 0 is not in [1, 1048576]");
  rejects(good, 1, {2, std::size_t{1} << 21}, "\"batch\" = 2097152 is not in");
  rejects(good, 1, {1025, 1}, "\"threads\" = 1025 is not in [1, 1024]");
  NTTF_CHECK_THROWS(wisdom.remember_on_gpu(spec, "card\xff", 1, "{}", 1), ParameterError, "invalid UTF-8");
  NTTF_CHECK_EQ(wisdom.size(), 0u);
}

NTTF_TEST("wisdom: JSON and files, there and back; other machines' entries are kept") {
  const Wisdom wisdom = some_wisdom();
  NTTF_CHECK_EQ(wisdom.size(), 4u);
  NTTF_CHECK(Wisdom::from_json(wisdom.to_json()) == wisdom);
  std::string foreign = wisdom.to_json();
  for (std::size_t at = 0; (at = foreign.find("\"cpu\": \"", at)) != std::string::npos; at += 8) {
    foreign.insert(at + 8, "another ");
  }
  Wisdom both = Wisdom::from_json(foreign);
  NTTF_CHECK(!both.find(mixed_spec()));
  both.merge(wisdom);
  NTTF_CHECK_EQ(both.size(), 8u);
  NTTF_CHECK(both.find(mixed_spec(64), {2, 3}) == scalar_recipe(mixed_spec(64), 2, 2));
  NTTF_CHECK(Wisdom::from_json(both.to_json()) == both);

  std::string name = (std::filesystem::temp_directory_path() / "nttforge-wisdom-XXXXXX").string();
  const std::filesystem::path folder = ::mkdtemp(name.data());
  const std::string path = (folder / "sub" / "wisdom.json").string();
  both.save(path);
  NTTF_CHECK(Wisdom::load(path) == both);
  write_file(path, "{}");
  NTTF_CHECK_THROWS(Wisdom::load(path), FormatError, "wisdom.json: ");
  NTTF_CHECK_THROWS(Wisdom::load((folder / "none").string()), Error, "No such file");
  std::filesystem::remove_all(folder);
}

NTTF_TEST("wisdom: the default place") {
  const char* names[] = {"NTTFORGE_WISDOM", "XDG_CACHE_HOME", "HOME"};
  std::string kept[3];
  bool set[3];
  for (int i = 0; i < 3; ++i) {
    const char* value = std::getenv(names[i]);
    set[i] = value != nullptr;
    kept[i] = set[i] ? value : "";
    setenv(names[i], i == 0 ? "/a/w.json" : i == 1 ? "/b" : "/c", 1);
  }
  NTTF_CHECK_EQ(Wisdom::default_path(), "/a/w.json");
  unsetenv(names[0]);
  NTTF_CHECK_EQ(Wisdom::default_path(), "/b/nttforge/wisdom.json");
  setenv(names[1], "", 1);
  NTTF_CHECK_EQ(Wisdom::default_path(), "/c/.cache/nttforge/wisdom.json");
  unsetenv(names[2]);
  NTTF_CHECK_THROWS(Wisdom::default_path(), Error, "no place for wisdom");
  for (int i = 0; i < 3; ++i) set[i] ? setenv(names[i], kept[i].c_str(), 1) : unsetenv(names[i]);
}

NTTF_TEST("wisdom: hostile files") {
  const std::string good = some_wisdom().to_json();
  const auto rejects = [&](const std::string& from, const std::string& to, const char* text) {
    std::string bad = good;
    const std::size_t at = bad.find(from);
    NTTF_CHECK(at != std::string::npos);
    bad.replace(at, from.size(), to);
    NTTF_CHECK_THROWS(Wisdom::from_json(bad), FormatError, text);
  };
  rejects("nttforge-wisdom", "other", "another kind of file");
  rejects("\"version\": 1", "\"version\": 2", "version 2 is unknown");
  rejects("\"entries\"", "\"entry\"", "unknown member \"entry\"");
  rejects("\"n\": 1024", "\"n\": 1000", "entry 0: \"n\" = 1000 is not a power of two");
  rejects("\"n\": 1024", "\"n\": 536870912", "\"n\" = 536870912 is not in [1, 268435456]");
  rejects("\"n\": 1024", "\"n\": \"many\"", "entry 0");
  rejects("\"batch\": 1", "\"batch\": 0", "\"batch\" = 0 is not in");
  rejects("\"threads\": 1", "\"threads\": 1025", "\"threads\" = 1025");
  rejects("\"word_bits\": 64", "\"word_bits\": 48", "\"word_bits\"");
  rejects("\"count\": 2", "\"count\": 18446744073709551615", "\"count\"");
  rejects("\"cpu\": \"", "\"cpu\": \"" + std::string(300, 'x'), "\"cpu\" has");
  rejects("\"ns\": 12", "\"ns\": -12", "\"ns\" is not a positive number");
  rejects("\"choice\"", "\"choices\"", "unknown member");
  NTTF_CHECK_THROWS(Wisdom::from_json("[]"), FormatError, "wisdom is not an object");
  NTTF_CHECK_THROWS(Wisdom::from_json(""), FormatError, "");

  // Repeated entries, in another order of members too.
  const Json file = Json::parse(good);
  Json entries = Json::array(), again = Json::object(), key = Json::object();
  entries.push_back(file.at("entries")[0]);
  const auto& members = file.at("entries")[0].at("key").members();
  for (std::size_t i = members.size(); i-- > 0;) key.set(members[i].first, members[i].second);
  again.set("key", key);
  again.set("choice", file.at("entries")[0].at("choice"));
  entries.push_back(again);
  Json doubled = file;
  doubled.set("entries", entries);
  NTTF_CHECK_THROWS(Wisdom::from_json(doubled.dump()), FormatError, "entry 1 has the key of an earlier one");
}

NTTF_TEST("wisdom: a recipe that somebody edited is used only if it can run, and never gives wrong words") {
  const NttSpec spec = mixed_spec(64);
  const std::string good = some_wisdom().to_json();
  std::size_t used = 0;
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"\"radix\": 2", "\"radix\": 7"},
                                 {"\"radix\": 2", "\"radix\": 4"},
                                 {"\"threads\": 2,", "\"threads\": 900,"},
                                 {"\"target\": \"scalar\"", "\"target\": \"none\""},
                                 {"\"target\": \"scalar\"", "\"target\": \"avx512_ifma\""},
                                 {"\"shoup64\"", "\"goldilocks\""},
                                 {"\"shoup64\"", "\"shoup64\", \"shoup64\""},
                                 {"\"recipe\": {", "\"recipe\": {\"more\": 1, "}}) {
    std::string text = good;
    for (std::size_t at = text.rfind("\"recipe\""); at != std::string::npos && at > 0;
         at = text.rfind("\"recipe\"", at - 1)) {
      const std::size_t place = text.find(from, at);
      if (place != std::string::npos) text.replace(place, from.size(), to);
    }
    const Wisdom edited = Wisdom::from_json(text);
    for (const unsigned threads : {1u, 2u}) {
      const auto recipe = edited.find(spec, {threads, 3});
      if (recipe) require_recipe(validated(spec), *recipe);
      used += recipe.has_value();
      NTTF_CHECK(NttPlan(spec, edited, threads, 3).spec() == validated(spec));
    }
  }
  NTTF_CHECK(used >= 2 && used < 16);  // radix 4 can run
}

NTTF_TEST("wisdom: damaged bytes give an error or wisdom, nothing else") {
  const std::string good = some_wisdom().to_json();
  Rng rng;
  std::size_t refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string bad = good;
    for (std::uint64_t edits = 1 + rng.below(4); edits > 0; --edits) {
      const std::size_t at = rng.below(bad.size());
      switch (rng.below(4)) {
        case 0:
          bad[at] = static_cast<char>(rng.below(256));
          break;
        case 1:
          bad.erase(at, rng.below(40));
          break;
        case 2:
          bad.insert(at, bad.substr(rng.below(bad.size()), rng.below(60)));
          break;
        default:
          bad[at] = "0123456789{}[],:\"-e."[rng.below(20)];
      }
    }
    try {
      const Wisdom wisdom = Wisdom::from_json(bad);
      NTTF_CHECK(Wisdom::from_json(wisdom.to_json()) == wisdom);
      if (const auto recipe = wisdom.find(mixed_spec(64))) require_recipe(validated(mixed_spec(64)), *recipe);
    } catch (const FormatError&) {
      ++refused;
    }
  }
  NTTF_CHECK(refused > 1000);
}
