// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bfv/products.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/out_of_memory.hpp"
#include "nttforge/rns/behz.hpp"
#include "nttforge/rns/hps.hpp"
#include "nttforge/rns/mod_down.hpp"

namespace nttforge::bfv {
namespace {

constexpr std::string_view kNames[] = {"behz", "hps", "hps_over_q", "hps_levelled", "auto"};

/// Bits that what a division adds to noise stays below the noise of the factors, before primes are dropped.
constexpr double kRoundingMargin = 6;

constexpr unsigned prime_bits(unsigned word_bits) { return word_bits == 32 ? 30 : Behz::kPrimeBits; }

/// log2 of the largest |floor(x + 1/2 - delta) - x|, delta up to epsilon of these sources.
double half(std::span<const std::uint64_t> sources) { return std::log2(0.5 + hps_epsilon(sources)); }

}  // namespace

std::string_view product_form_name(ProductForm form) { return kNames[static_cast<std::size_t>(form)]; }

ProductForm product_form(std::string_view name) {
  std::string known;
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (name == kNames[i]) return static_cast<ProductForm>(i);
    known += (i == 0 ? "" : ", ") + std::string(kNames[i]);
  }
  throw ParameterError("product = " + std::string(name) + " is unknown: need one of " + known);
}

Products::Products(const IntegerContext& context, ProductForm form)
    : context_(context),
      form_(form == ProductForm::automatic ? fastest_product(context.parameters(), context.device()) : form) {
  const std::size_t top = context.limbs();
  at(top, top);
}

RnsBase Products::first_primes(std::size_t count) const {
  const std::vector<std::uint64_t>& q = context_.parameters().q;
  return RnsBase({q.begin(), q.begin() + static_cast<std::ptrdiff_t>(count)});
}

RnsBase Products::auxiliary(std::size_t kept) const {
  const IntegerParameters& parameters = context_.parameters();
  const std::vector<std::uint64_t> avoid = parameters.key_moduli();
  const unsigned bits = prime_bits(parameters.word_bits);
  const RnsBase q = first_primes(kept);
  if (form_ == ProductForm::behz) return Behz(q, parameters.t, parameters.n, avoid, kTerms, bits).bsk();
  if (form_ == ProductForm::hps) return hps_base(q, parameters.t, parameters.n, avoid, kTerms, bits);
  return hps_over_q_base(q, parameters.n, avoid, bits);
}

std::shared_ptr<const RingTables> Products::ring_of(std::span<const std::uint64_t> moduli) const {
  NttSpec spec;
  spec.n = context_.n();
  spec.word_bits = context_.parameters().word_bits;
  spec.moduli.assign(moduli.begin(), moduli.end());
  return context_.device().make_ring(spec);
}

std::shared_ptr<const RingTables> Products::ring(std::size_t level) const {
  return level >= context_.lowest_level() ? context_.key_switching(level).ring
                                          : ring_of(first_primes(level).values());
}

std::shared_ptr<const StepTables> Products::step(const RnsStep& step) const {
  return context_.device().make_step(step, context_.n());
}

ProductTables Products::behz(std::size_t level) const {
  const IntegerParameters& parameters = context_.parameters();
  const Behz behz(first_primes(level), parameters.t, parameters.n, parameters.key_moduli(), kTerms,
                  prime_bits(parameters.word_bits));
  const RnsStep down[] = {behz.floor(), behz.to_q()};
  return context_.device().make_product(ring(level), ring_of(behz.bsk().values()), step(behz.extend()),
                                        context_.device().make_step(down, context_.n()));
}

ProductTables Products::plain(std::size_t level) const {
  const RnsBase q = first_primes(level), p = auxiliary(level);
  const RnsStep down[] = {hps_scale(q, p.values(), BigUint(context_.t())), hps_extend(p, q.values())};
  return context_.device().make_product(ring(level), ring_of(p.values()), step(hps_extend(q, p.values())),
                                        context_.device().make_step(down, context_.n()));
}

ProductTables Products::over_q(std::size_t level, std::size_t kept) const {
  const RnsBase all = first_primes(level), q = first_primes(kept), p = auxiliary(kept);
  const std::span<const std::uint64_t> dropped = all.values().subspan(kept);
  std::shared_ptr<const StepTables> drop;
  if (!dropped.empty()) drop = step(mod_down_nearest(q, RnsBase({dropped.begin(), dropped.end()})));
  return context_.device().make_product_over(
      ring(kept), ring_of(p.values()), step(hps_extend(q, p.values())),
      step(hps_scale(all, p.values(), p.product())), step(hps_extend(p, q.values())),
      step(hps_scale(p, q.values(), BigUint(context_.t()), BigUint::product(dropped))), drop);
}

Products::Made Products::make(std::size_t level, std::size_t kept) const {
  const MemoryPurpose purpose("the tables of a context");
  const auto factors = static_cast<double>(level);
  if (form_ == ProductForm::behz)
    return {behz(level),
            {.extended = (1 + std::exp2(-31) * factors) / 2,
             .parts = std::log2(factors),
             .first = {},
             .second = {}}};
  const RnsBase all = first_primes(level), q = first_primes(kept), p = auxiliary(kept);
  const double epsilon = std::max(hps_epsilon(q.values()), hps_epsilon(p.values()));
  ProductRounding rounding{.extended = 0.5 + epsilon, .parts = 0, .first = {}, .second = {}};
  if (form_ == ProductForm::hps) {
    rounding.parts = half(q.values());
    return {plain(level), rounding};
  }
  const double unit = all.product().log2() - q.product().log2();
  rounding.parts = unit + half(p.values());
  if (kept < level) rounding.first = unit + half(all.values().subspan(kept));
  rounding.second = all.product().log2() - p.product().log2() + half(all.values());
  return {over_q(level, kept), rounding};
}

const Products::Made& Products::at(std::size_t level, std::size_t kept) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::unique_ptr<const Made>& found = made_[{level, kept}];
  if (found == nullptr) found = std::make_unique<const Made>(make(level, kept));
  return *found;
}

ProductRounding Products::rounding(std::size_t level, std::size_t kept) const {
  return at(level, kept).rounding;
}

const ProductTables& Products::tables(std::size_t level, std::size_t kept) const {
  return at(level, kept).tables;
}

// 2 P >= Q', the product of the primes that are kept: the second factor's division leaves at most twice what
// the first one's does.
std::size_t Products::kept(const Noise& a, const Noise& b, std::size_t level) const {
  if (form_ != ProductForm::hps_levelled || !a.known() || !b.known()) return level;
  const auto& model = static_cast<const NoiseModel&>(context_.noise_model());
  const double room = rlwe::log2_sum(a.canonical, b.canonical) - kRoundingMargin - 1;
  double unit = 0;
  std::size_t kept = level;
  while (kept > 1) {
    unit += std::log2(static_cast<double>(context_.parameters().q[kept - 1]));
    if (model.division_noise(unit - 1).canonical > room) break;
    --kept;
  }
  return kept;
}

}  // namespace nttforge::bfv
