// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "nttforge/arith/modulus.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/ckks/scale.hpp"
#include "nttforge/rlwe/evaluation/operands.hpp"

namespace nttforge::ckks {
namespace {

constexpr double kMostConstant = 0x1p120;  // times its scale
constexpr double kSpareBits = 6;           // that a factor may have less than the scale that it leads to

/// What a product says before it is rescaled.
Meta product_meta(const Context& context, const Meta& a, const Meta& b) {
  Meta meta = a.computed(context.noise_model().multiply(a.noise, message_log2(a), b.noise, message_log2(b)));
  meta.scale = scale_of(a.scale, b.scale, {}, {});
  meta.numbers = {a.numbers.bound + b.numbers.bound, a.numbers.real && b.numbers.real};
  context.require_message(meta);
  return meta;
}

void require_same_slots(const Ciphertext& a, const Ciphertext& b) {
  if (a.meta().slots == b.meta().slots) return;
  throw ParameterError("a has " + std::to_string(a.meta().slots) + " slots and b " +
                       std::to_string(b.meta().slots) +
                       ": messages of one number of slots are needed; encode both with the same slots=");
}

/// An integer modulo each prime.
std::vector<std::uint64_t> residues(const RingTables& ring, const BigUint& integer, bool negative) {
  std::vector<std::uint64_t> result;
  for (const std::uint64_t q : ring.spec().moduli) {
    const std::uint64_t residue = integer.mod(q);
    result.push_back(negative ? Modulus(q).negate(residue) : residue);
  }
  return result;
}

/// The scale up to what double-doubles do not hold.
Ciphertext with_scale(Ciphertext a, const DoubleDouble& scale) {
  Meta meta = a.meta();
  meta.scale = scale;
  a.set_meta(meta);
  return a;
}

[[noreturn]] void refuse_level(const std::string& operation, std::size_t needed, std::size_t left) {
  throw ParameterError(operation + " needs " + std::to_string(needed) +
                       (needed == 1 ? " level, " : " levels, ") + std::to_string(left) +
                       " left: bootstrap, or use a set with more levels (preset(n) of a "
                       "larger n, or a smaller scale)");
}

}  // namespace

Evaluator::Evaluator(ContextPtr context) : rlwe::Evaluator(context), context_(std::move(context)) {}

bool Evaluator::is_product(const Ciphertext& a) const {
  const double own = log2_of_scale(context_->scale(a.level()));
  return log2_of_scale(a.meta().scale) > own + own / 2;
}

Ciphertext Evaluator::rescale(const Ciphertext& a) const {
  require_compatible(*context_, a.context(), "a");
  if (a.level() == 1) refuse_level("rescale", 1, 0);
  return divided(a);
}

Ciphertext Evaluator::settled(Ciphertext a) const {
  while (a.level() > 1 && is_product(a)) a = divided(a);
  return a;
}

const Ciphertext& Evaluator::settle(const Ciphertext& a, Ciphertext& storage) const {
  if (a.level() == 1 || !is_product(a)) return a;
  return storage = settled(divided(a));
}

bool Evaluator::keeps_scale(const Ciphertext& a, std::size_t level) const {
  return a.level() == level ||
         (takes_constant(a, level) &&
          log2_of_scale(a.meta().scale) > log2_of_scale(context_->scale(level)) - kSpareBits);
}

const DoubleDouble& Evaluator::scale_in(const Ciphertext& a, std::size_t level) const {
  return keeps_scale(a, level) ? a.meta().scale : context_->scale(level);
}

const Ciphertext& Evaluator::in_primes_of(const Ciphertext& a, std::size_t level, Ciphertext& storage) const {
  if (a.level() == level && a.form() == Form::values) return a;
  const bool keeps = keeps_scale(a, level);
  return storage = (keeps ? without_primes(a, level) : mod_switch_to(a, level)).in(Form::values);
}

Ciphertext Evaluator::without_primes(const Ciphertext& a, std::size_t level) const {
  if (level == a.level()) return a;
  Meta meta = a.meta().computed(a.noise());
  meta.level = level;
  context_->require_message(meta);
  Ciphertext result(context_, a.size(), meta, a.batch());
  const CombinedRows from = rows_at(a, level);
  const std::size_t words = context_->ring_q(level).words();
  for (std::size_t i = 0; i < a.polynomials(); ++i)
    context_->queue().copy(from.words + i * from.stride, result.data() + i * words, words);
  return result;
}

Ciphertext Evaluator::lowered(const Ciphertext& a, std::size_t level) const {
  const Parameters& parameters = context_->parameters();
  const Window own = parameters.window(a.level());
  // From the lowest level whose primes are here and whose factor is as precise as the scale, at least from
  // here.
  for (std::size_t from = level + 1;; ++from) {
    if (!own.contains(parameters.window(from))) continue;
    const Parameters::Step step = parameters.step_from(from);
    const DoubleDouble& scale = context_->scale(from - 1);
    const BigUint factor = nearest_integer(scale, step.leaving, a.meta().scale, step.joining);
    const double bits = factor.log2();
    if (from < a.level() && bits < log2_of_scale(scale) - kSpareBits) continue;
    if (factor.is_zero())
      throw ParameterError("a has the scale 2^" + std::to_string(log2_of_scale(a.meta().scale)) +
                           ", too large for level " + std::to_string(from - 1) + ": rescale it first");
    return at_scale(divided(times_integer(a, factor, false, from)), scale, bits);
  }
}

bool Evaluator::takes_constant(const Ciphertext& a, std::size_t level) const {
  const Window own = context_->parameters().window(a.level()), window = context_->parameters().window(level);
  return own.contains(window) &&
         log2_of_scale(a.meta().scale) < log2_of_scale(context_->scale(level)) + kSpareBits;
}

Ciphertext Evaluator::at_scale(Ciphertext a, const DoubleDouble& scale, double bits) const {
  Meta meta = a.meta();
  meta.scale = scale;
  meta.noise = context_->noise_model().off_by(meta.noise, message_log2(meta) - 1 - bits);
  context_->require_message(meta);
  a.set_meta(meta);
  return a;
}

const Ciphertext& Evaluator::at_level(const Ciphertext& a, std::size_t level, Form form,
                                      Ciphertext& storage) const {
  const Ciphertext* x = &a;
  if (a.level() > level) x = &settle(a, storage);
  while (x->level() > level) x = &(storage = lowered(*x, level));
  if (x->form() == form) return *x;
  return storage = x == &storage ? std::move(storage).in(form) : x->in(form);
}

Ciphertext Evaluator::mod_switch(const Ciphertext& a) const {
  require_compatible(*context_, a.context(), "a");
  if (a.level() == 1) refuse_level("mod_switch", 1, 0);
  return mod_switch_to(a, a.level() - 1);
}

Ciphertext Evaluator::lifted(const Ciphertext& a, const DoubleDouble& scale) const {
  const BigUint factor = nearest_integer(scale, {}, a.meta().scale, {});
  return at_scale(times_integer(a, factor, false, a.level()), scale, factor.log2());
}

void Evaluator::align(Ciphertext& a, Ciphertext& b) const {
  require_same_slots(a, b);
  // To rescale three parts costs bits of precision, to multiply with an integer none.
  const auto lift = [&](const Ciphertext& product, Ciphertext& other) {
    if (!is_product(product) || is_product(other) || other.level() < product.level()) return;
    other = lifted(mod_switch_to(other, product.level()), product.meta().scale).in(product.form());
  };
  lift(a, b);
  lift(b, a);
  if (a.level() != b.level() || is_product(a) != is_product(b)) {
    a = settled(std::move(a));
    b = settled(std::move(b));
  }
  std::size_t level = std::min(a.level(), b.level());
  const auto lower = [&](Ciphertext& x) { x = mod_switch_to(x, level).in(Form::values); };
  lower(a);
  lower(b);
  if (!same_scale(a.meta().scale, b.meta().scale)) {
    if (level == 1)
      throw ParameterError("a has the scale 2^" + std::to_string(log2_of_scale(a.meta().scale)) +
                           " and b 2^" + std::to_string(log2_of_scale(b.meta().scale)) +
                           " at level 1, where no level is left to make them equal; encode with the scale of "
                           "the level");
    --level;
    lower(a);
    lower(b);
  }
  Meta meta = b.meta();
  meta.scale = a.meta().scale;
  b.set_meta(meta);
}

Ciphertext Evaluator::sum_of_products(std::span<const Ciphertext* const> a,
                                      std::span<const Ciphertext* const> b, std::size_t batch) const {
  std::vector<Ciphertext> storage(2 * a.size());
  std::size_t level = context_->top_level();
  const auto factor = [&](const Ciphertext& x, Ciphertext& place) -> const Ciphertext& {
    require_same_slots(*a[0], x);
    const Ciphertext& found = settle(x, place);
    level = std::min(level, found.level());
    return found;
  };
  std::vector<const Ciphertext*> x, y;
  for (std::size_t i = 0; i < a.size(); ++i) {
    x.push_back(&factor(*a[i], storage[2 * i]));
    y.push_back(a[i] == b[i] ? x.back() : &factor(*b[i], storage[2 * i + 1]));
  }
  if (level == 1) refuse_level("a product", 1, 0);
  std::size_t leading = level;
  while (leading > 1 && !context_->leads_below(leading)) --leading;
  if (leading > 1) level = leading;
  Ciphertext total;
  for (std::size_t i = 0; i < x.size(); ++i) {
    poll_interrupt();
    Ciphertext of_x, of_y;
    const Ciphertext& p = operand(*x[i], level, Form::values, batch, of_x);
    const Ciphertext& q = x[i] == y[i] ? p : operand(*y[i], level, Form::values, batch, of_y);
    Meta meta = product_meta(*context_, p.meta(), q.meta());
    if (!total.empty() && !(total.meta().scale == meta.scale)) {
      Ciphertext term(context_, 3, meta, batch);
      context_->queue().tensor(context_->ring_q(level), p.data(), q.data(), term.data(), false, batch);
      add_in_place(total, term);
      continue;
    }
    const bool first = total.empty();
    if (first) {
      total = Ciphertext(context_, 3, meta, batch);
    } else {
      meta = total.meta().plus(meta, context_->noise_model());
      context_->require_message(meta);
    }
    context_->queue().tensor(context_->ring_q(level), p.data(), q.data(), total.data(), !first, batch);
    total.set_meta(meta);
  }
  return total;
}

Ciphertext Evaluator::relinearized(const Ciphertext& product, const RelinearizationKey& key) const {
  if (product.level() == 1 || !is_product(product)) return relinearize(product, key);
  return settled(relinearize_divided(product, key));
}

Ciphertext Evaluator::add_plain(const Ciphertext& a, const Plaintext& b) const {
  return add(a, without_primes(b.polynomial(), std::min(a.level(), b.level())));
}

Ciphertext Evaluator::sub_plain(const Ciphertext& a, const Plaintext& b) const {
  return sub(a, without_primes(b.polynomial(), std::min(a.level(), b.level())));
}

Ciphertext Evaluator::times_polynomial(const Ciphertext& a, ConstWordPtr b, std::size_t batch,
                                       std::size_t stride, const Meta& meta) const {
  const RingTables& ring = context_->ring_q(a.level());
  Ciphertext result(context_, a.size(), meta, std::max(a.batch(), batch));
  for (std::size_t e = 0; e < result.batch(); ++e)
    context_->queue().multiply_broadcast(ring, a.part(0, operand_element(a.batch(), e)),
                                         b + operand_element(batch, e) * stride, result.part(0, e), a.size());
  return result;
}

Ciphertext Evaluator::multiply_plain(const Ciphertext& a, const Plaintext& b) const {
  require_operands(*context_, a, b.polynomial());
  require_same_slots(a, b.polynomial());
  common_batch(a.batch(), "a", b.batch(), "b");
  const StackWipe wipe(StackDepth::shallow);
  Ciphertext of_a, storage;
  const Ciphertext& settled_a = settle(a, of_a);
  const Ciphertext& x = at_level(settled_a, std::min(settled_a.level(), b.level()), Form::values, storage);
  if (x.level() == 1) refuse_level("a product", 1, 0);
  const Ciphertext y = without_primes(b.polynomial(), x.level()).in(Form::values);
  return settled(times_polynomial(x, y.data(), y.batch(), y.element_words(),
                                  product_meta(*context_, x.meta(), y.meta())));
}

Ciphertext Evaluator::add_constant(const Ciphertext& a, std::complex<double> c) const {
  require_compatible(*context_, a.context(), "a");
  const Meta& meta = a.meta();
  Encode options;
  options.level = a.level();
  // Sums bring it to the scale of a product, which may be too large to encode at.
  options.scale = is_product(a) ? context_->scale(a.level()) : meta.scale;
  options.slots = 1;
  options.bound = std::max({std::abs(c.real()), std::abs(c.imag()), 0x1p-900});
  options.real = c.imag() == 0;
  options.form = a.form();
  const auto of_message = [&](Meta constant) {
    constant.slots = meta.slots;
    constant.encoding = meta.encoding;
    return constant;
  };
  if (options.form == Form::values && !is_product(a) && options.real &&
      std::abs(c.real()) * meta.scale.hi < kMostConstant)
    return shifted(a, c.real(), of_message(encoded_meta(*context_, options)));
  // The constant polynomial is a message of one slot that repeats, and in coefficients the first one.
  Ciphertext polynomial = Plaintext(context_, std::span(&c, 1), options).polynomial();
  if (meta.encoding == Encoding::coefficients && c.imag() != 0)
    throw ParameterError("c has an imaginary part, and a is encoded as coefficients, which are real");
  polynomial.set_meta(of_message(polynomial.meta()));
  return add(a, polynomial);
}

Ciphertext Evaluator::shifted(const Ciphertext& a, double c, const Meta& constant) const {
  const Meta meta = a.meta().plus(constant, context_->noise_model());
  context_->require_message(meta);
  // The values of a constant polynomial are its coefficient.
  const Coefficient coefficient = scaled_coefficient(c, a.meta().scale);
  const bool negative = coefficient < 0;
  const auto size = static_cast<u128>(negative ? -coefficient : coefficient);
  const std::uint64_t words[] = {static_cast<std::uint64_t>(size), static_cast<std::uint64_t>(size >> 64)};
  const RingTables& ring = context_->ring_q(a.level());
  const std::vector<std::uint64_t> scalars(ring.limbs(), 1),
      constants = residues(ring, BigUint::from_words(words), negative);
  const CombinedRows term{a.data(), ring.words(), a.size()};
  Ciphertext result(context_, a.size(), meta, a.batch());
  context_->queue().linear_combination(ring, {&term, 1}, scalars, constants, a.size(), result.data(),
                                       a.batch());
  return result;
}

CombinedRows Evaluator::rows_at(const Ciphertext& a, std::size_t level) const {
  const Window from = context_->parameters().window(a.level()), to = context_->parameters().window(level);
  const std::size_t n = context_->n();
  return {a.data() + (to.first - from.first) * n, from.size() * n, a.size()};
}

Ciphertext Evaluator::times_integer(const Ciphertext& a, const BigUint& factor, bool negative,
                                    std::size_t level) const {
  const RingTables& ring = context_->ring_q(level);
  Meta meta = a.meta().computed(context_->noise_model().times(a.noise(), factor.log2()));
  meta.level = level;
  Ciphertext result(context_, a.size(), meta, a.batch());
  const CombinedRows term = rows_at(a, level);
  context_->queue().linear_combination(ring, {&term, 1}, residues(ring, factor, negative), {}, a.size(),
                                       result.data(), a.batch());
  return result;
}

Ciphertext Evaluator::multiply_integer(const Ciphertext& a, std::int64_t factor) const {
  require_compatible(*context_, a.context(), "a");
  if (factor == 0) throw ParameterError("factor = 0: nothing would be encrypted in the product");
  const std::uint64_t size =
      factor < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(factor) : static_cast<std::uint64_t>(factor);
  Meta meta = a.meta();
  meta.numbers.bound += std::log2(static_cast<double>(size));
  context_->require_message(meta);
  Ciphertext result = times_integer(a, BigUint(size), factor < 0, a.level());
  Meta computed = result.meta();
  computed.numbers = meta.numbers;
  result.set_meta(computed);
  return result;
}

Ciphertext Evaluator::multiply_by_i(const Ciphertext& a) const {
  require_compatible(*context_, a.context(), "a");
  require_slots(a.encoding(), "a", "multiply_by_i");
  const std::size_t first = context_->parameters().window(a.level()).first * context_->n();
  const Ciphertext x = a.in(Form::values);
  Meta meta = x.meta().computed(x.noise());
  meta.noise = x.noise();
  meta.numbers.real = false;
  return times_polynomial(x, context_->imaginary_unit() + first, 1, 0, meta);
}

Ciphertext Evaluator::twice_real(const Ciphertext& a, const RotationKeys& keys) const {
  Ciphertext result = add(a, conjugate(a, keys));
  Meta meta = result.meta();
  meta.numbers.real = true;
  result.set_meta(meta);
  return result;
}

DoubleDouble Evaluator::product_scale(const Meta& x, double least) const {
  if (x.level == 1) refuse_level("a product by a number that is no integer", 1, 0);
  const DoubleDouble product = product_scale_at(x.level - 1, context_->scale(x.level - 1));
  const double factor = product.hi / x.scale.hi;
  if (least * factor < 1)
    throw ParameterError("a constant of " + std::to_string(least) + " is below the resolution 2^-" +
                         std::to_string(std::log2(factor)) +
                         " of this level: it would be 0; multiply in two steps");
  return product;
}

Meta Evaluator::times_real(const Meta& x, double c, const DoubleDouble& scale, BigUint& factor) const {
  factor = nearest_integer(scale_of(scale, {std::abs(c), 0}, {}, {}), {}, x.scale, {});
  const NoiseModel& model = context_->noise_model();
  // The integer is off by 1/2 at most.
  Meta meta = x.computed(model.off_by(model.times(x.noise, factor.log2()), message_log2(x) - 1));
  meta.numbers.bound += std::log2(std::abs(c));
  meta.scale = scale;
  context_->require_message(meta);
  return meta;
}

Ciphertext Evaluator::times_real(const Ciphertext& x, double c, const DoubleDouble& scale) const {
  BigUint factor;
  const Meta meta = times_real(x.meta(), c, scale, factor);
  Ciphertext result = times_integer(x, factor, c < 0, x.level());
  result.set_meta(meta);
  return result;
}

Ciphertext Evaluator::multiply_constant(const Ciphertext& a, std::complex<double> c) const {
  require_compatible(*context_, a.context(), "a");
  if (!std::isfinite(c.real()) || !std::isfinite(c.imag()) || c == 0.0)
    throw ParameterError("c = " + std::to_string(c.real()) + " + " + std::to_string(c.imag()) +
                         " i must be finite and not 0");
  Ciphertext storage;
  const Ciphertext& x = settle(a, storage);
  const DoubleDouble scale = product_scale(x.meta(), std::max(std::abs(c.real()), std::abs(c.imag())));
  if (c.imag() == 0) return divided(times_real(x, c.real(), scale));
  const Ciphertext turned = multiply_by_i(times_real(x, c.imag(), scale));
  Ciphertext result = divided(c.real() == 0 ? turned : add(times_real(x, c.real(), scale), turned));
  Meta meta = result.meta();
  meta.numbers.bound = x.meta().numbers.bound + std::log2(std::abs(c));
  result.set_meta(meta);
  return result;
}

void Evaluator::append(const WeightedSum& sum, std::size_t level, const DoubleDouble& scale,
                       std::size_t batch, Terms& terms) const {
  const RingTables& ring = context_->ring_q(level);
  const NoiseModel& model = context_->noise_model();
  terms.storage.resize(sum.terms.size());
  for (std::size_t i = 0; i < sum.terms.size(); ++i) {
    poll_interrupt();
    const Ciphertext* x = sum.terms[i];
    Ciphertext& place = terms.storage[i];
    if (!takes_constant(*x, level)) x = &(place = mod_switch_to(*x, level));
    if (x->form() != Form::values) x = &(place = x->in(Form::values));
    if (x->batch() != batch) x = &(place = widened(*x, x->size(), batch));
    Meta meta = x->meta();
    meta.level = level;
    BigUint factor;
    meta = times_real(meta, sum.factors[i], scale, factor);
    terms.rows.push_back(rows_at(*x, level));
    const std::vector<std::uint64_t> scalars = residues(ring, factor, sum.factors[i] < 0);
    terms.scalars.insert(terms.scalars.end(), scalars.begin(), scalars.end());
    terms.meta = terms.meta.has_value() ? terms.meta->plus(meta, model) : meta;
    terms.size = std::max(terms.size, x->size());
    context_->require_message(*terms.meta);
  }
  if (sum.more != nullptr) {
    Meta meta = sum.more->meta();
    meta.scale = scale;
    terms.rows.push_back(rows_at(*sum.more, level));
    terms.scalars.insert(terms.scalars.end(), ring.limbs(), 1);
    terms.meta = terms.meta.has_value() ? terms.meta->plus(meta, model) : meta;
    terms.size = std::max(terms.size, sum.more->size());
  }
  if (sum.constant == 0) return;
  const double size = std::abs(sum.constant);
  terms.constants =
      residues(ring, nearest_integer(scale_of(scale, {size, 0}, {}, {}), {}, {1, 0}, {}), sum.constant < 0);
  terms.meta->numbers.bound = log2_sum(terms.meta->numbers.bound, std::log2(size));
  terms.meta->noise = model.off_by(terms.meta->noise, -1);  // the integer is off by 1/2 at most
  context_->require_message(*terms.meta);
}

DoubleDouble Evaluator::product_scale_at(std::size_t level, const DoubleDouble& scale) const {
  const Parameters::Step step = context_->parameters().step_from(level + 1);
  return scale_of(scale, {1, 0}, step.leaving, step.joining);
}

Ciphertext Evaluator::weighted_sum_at(const WeightedSum& sum, std::size_t level,
                                      const DoubleDouble& scale) const {
  const std::size_t above = level + 1;
  std::size_t batch = 1;
  for (const Ciphertext* term : sum.terms) batch = std::max(batch, term->batch());
  Terms terms;
  append(sum, above, product_scale_at(level, scale), batch, terms);
  Ciphertext total(context_, terms.size, *terms.meta, batch);
  context_->queue().linear_combination(context_->ring_q(above), terms.rows, terms.scalars, terms.constants,
                                       terms.size, total.data(), batch);
  return with_scale(divided(total), scale);
}

Ciphertext Evaluator::product_plus_at(const Ciphertext& a, const Ciphertext& b, std::uint64_t times,
                                      const WeightedSum& sum, std::size_t level,
                                      const RelinearizationKey& key,
                                      const std::optional<DoubleDouble>& scale) const {
  require_compatible(*context_, key.context(), "relinearization key");
  Ciphertext result = relinearize_divided(product_above(a, b, times, sum, level), key);
  return scale.has_value() ? with_scale(std::move(result), *scale) : result;
}

Ciphertext Evaluator::product_above(const Ciphertext& a, const Ciphertext& b, std::uint64_t times,
                                    const WeightedSum& sum, std::size_t level) const {
  require_operands(*context_, a, b);
  require_two_parts(a, "a");
  require_two_parts(b, "b");
  const std::size_t above = level + 1, batch = common_batch(a.batch(), "a", b.batch(), "b");
  const RingTables& ring = context_->ring_q(above);
  Ciphertext of_a, of_b;
  const auto operand_of = [&](const Ciphertext& x, Ciphertext& storage) -> const Ciphertext& {
    const Ciphertext& found = in_primes_of(x, above, storage);
    return found.batch() == batch ? found : storage = widened(found, 2, batch);
  };
  const Ciphertext& x = operand_of(a, of_a);
  const Ciphertext& y = &a == &b ? x : operand_of(b, of_b);
  Meta meta = product_meta(*context_, x.meta(), y.meta());
  const double bits = std::log2(static_cast<double>(times));
  meta.noise = context_->noise_model().times(meta.noise, bits);
  meta.numbers.bound += bits;
  Terms terms;
  terms.meta = meta;
  append(sum, above, meta.scale, batch, terms);
  Ciphertext total(context_, 3, *terms.meta, batch);
  context_->queue().tensor_combination(ring, x.data(), y.data(), times, terms.rows, terms.scalars,
                                       terms.constants, total.data(), batch);
  return total;
}

Ciphertext Evaluator::weighted_sum(std::span<const Ciphertext* const> a, std::span<const double> c) const {
  require_lengths(a.size(), c.size());
  std::vector<Ciphertext> storage(a.size());
  std::vector<const Ciphertext*> terms;
  std::size_t level = context_->top_level(), batch = 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    require_term(*context_, a[i], *a[0], 'a', i);
    require_same_slots(*a[0], *a[i]);
    if (!std::isfinite(c[i]) || c[i] == 0)
      throw ParameterError("c[" + std::to_string(i) + "] = " + std::to_string(c[i]) +
                           " must be finite and not 0");
    batch = common_batch(batch, "the sum of the terms before a[" + std::to_string(i) + "]", a[i]->batch(),
                         element_name('a', i));
    terms.push_back(&settle(*a[i], storage[i]));
    level = std::min(level, terms[i]->level());
  }
  if (level == 1) refuse_level("a product by a number that is no integer", 1, 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    Meta meta = terms[i]->meta();
    meta.level = level;
    if (!takes_constant(*terms[i], level)) meta.scale = context_->scale(level);
    product_scale(meta, std::abs(c[i]));  // throws
  }
  return weighted_sum_at({terms, c, 0}, level - 1, context_->scale(level - 1));
}

}  // namespace nttforge::ckks
