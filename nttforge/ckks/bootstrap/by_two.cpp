// SPDX-License-Identifier: Apache-2.0
// One bootstrap on two devices, each with a thread of its own:
//
//   first   slots to coefficients | rows of coefficients to slots | sine of real parts      | sum
//   second    (waits)             | the other rows                | sine of imaginary parts | (sends)

#include <exception>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/ckks/bootstrap/bootstrapper.hpp"
#include "nttforge/rlwe/galois.hpp"

namespace nttforge::ckks {
namespace {

/// A ciphertext that the other side gives, whose meta this one knows.
Ciphertext taken(const multi::Meeting::Side& side, const ContextPtr& context, const Meta& meta,
                 std::size_t batch) {
  Ciphertext result(context, 2, meta, batch);
  side.take(result.data(), result.words());
  return result;
}

}  // namespace

void Bootstrapper::require_partner(const BootstrapKeys& keys, const Partner& partner) const {
  const Bootstrapper& other = partner.bootstrapper;
  if (!context_->equal_parameters(*other.context_))
    throw ParameterError("partner: its context has other parameters: make its bootstrapper for equal ones");
  if (!(options_ == other.options_))
    throw ParameterError("partner: its bootstrapper has other options: make it with those of this one");
  if (partner.keys.to_dense.empty() || partner.keys.to_dense.seed() != keys.to_dense.seed() ||
      partner.keys.relinearization.key().seed() != keys.relinearization.key().seed())
    throw ParameterError("partner: its keys are no copy of these: make them with keys_of_partner");
  rlwe::require_compatible(*other.context_, partner.keys.to_dense.context(), "partner.keys");
}

Ciphertext Bootstrapper::evaluated_by_two(const Evaluator& evaluator, const Ciphertext& sparse,
                                          const BootstrapKeys& keys, const Partner& partner, bool real,
                                          const DoubleDouble& off) const {
  const Bootstrapper& other = partner.bootstrapper;
  const Queue& queue = context_->queue();
  multi::Meeting meeting(queue, other.context_->queue());
  const std::shared_ptr<const Event> begun = queue.record();
  const Meta sparse_meta = sparse.meta().without_seed();
  std::optional<Meta> half_meta;
  const auto second = [&](const multi::Meeting::Side& side) {
    const Evaluator& e = partner.evaluator;
    const BootstrapKeys& k = partner.keys;
    const Ciphertext given = taken(side, other.context_, sparse_meta, sparse.batch());
    const Ciphertext x = other.coefficients(e, other.raised(e, given, k), k.rotations, &side);
    if (real) return;
    const Ciphertext half = other.imaginary_parts(e, x, e.conjugate(x, k.rotations));
    const Ciphertext y = other.sine(e, half, k.relinearization, off);
    half_meta = y.meta();
    side.give(y.data());
  };
  const auto first = [&](const multi::Meeting::Side& side) {
    side.give(sparse.data());
    const Ciphertext x = coefficients(evaluator, raised(evaluator, sparse, keys), keys.rotations, &side);
    const Ciphertext half = real_parts(evaluator, x, evaluator.conjugate(x, keys.rotations));
    Ciphertext y = sine(evaluator, half, keys.relinearization, off);
    if (real) return y;
    const Ciphertext z = taken(side, context_, y.meta(), y.batch());
    return evaluator.add(y, evaluator.multiply_by_i(z));
  };
  std::exception_ptr error;
  std::thread thread([&] {
    try {
      const multi::Meeting::Side side(meeting, 1);
      const std::shared_ptr<void> recorded = other.context_->queue().record_with(*begun);
      second(side);
      side.meet();                     // a recording ends with what this side releases
    } catch (const multi::GivenUp&) {  // the error is the first side's
    } catch (...) {
      error = std::current_exception();
    }
    meeting.give_up(1);
  });
  std::optional<Ciphertext> result;
  std::exception_ptr own;
  try {
    const multi::Meeting::Side side(meeting, 0);
    result = first(side);
    side.meet();
  } catch (const multi::GivenUp&) {
  } catch (...) {
    own = std::current_exception();
  }
  meeting.give_up(0);
  thread.join();
  if (own != nullptr) std::rethrow_exception(own);
  if (error != nullptr) std::rethrow_exception(error);
  return std::move(*result);
}

BootstrapKeys Bootstrapper::keys_of_partner(const BootstrapKeys& keys, const ContextPtr& context) const {
  require_context(context);
  const auto all = [&](const auto& part) { return part.to(context); };
  BootstrapKeys result{{}, all(keys.to_dense), all(keys.relinearization), RotationKeys(context)};
  std::map<std::int64_t, std::size_t> steps;
  for (const std::int64_t step : trace_) steps[step] = 0;
  for (const LinearTransform& map : to_slots_)
    for (const std::int64_t step : map.rotations()) steps[step] = 0;
  for (const auto& [step, unused] : steps)
    result.rotations.insert(keys.rotations.key(context_->rotation_element(step)).to(context));
  result.rotations.insert(keys.rotations.key(rlwe::column_swap_element(context_->n())).to(context));
  return result;
}

}  // namespace nttforge::ckks
