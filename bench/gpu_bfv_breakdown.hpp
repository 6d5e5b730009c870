// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the time of a product goes: the operations of the queue that a product with relinearization is made
// of, on tables and sizes of a context, measured one by one and in the groups that devices may fuse.

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "bench/gpu_bfv_party.hpp"
#include "nttforge/device/queue.hpp"

namespace nttforge::bench {

struct BfvStep {
  std::string name;
  std::size_t transforms = 0;  ///< limbs that are transformed
  std::size_t products = 0;    ///< of residues with constants, in steps between bases
  std::size_t bytes = 0;       ///< of keys that are read
  bool fused = false;          ///< beside the others: contains some, or is contained in one
  std::function<void()> run;
};

/// The operations of one product of batches and its relinearization, with arrays of their own.
class BfvBreakdown {
 public:
  BfvBreakdown(const BfvParty& party, std::size_t batch)
      : context_(*party.context),
        queue_(context_.queue()),
        tables_(context_.product()),
        level_(context_.key_switching(context_.limbs())),
        key_{party.relinearization.key().words().data(), level_.key_ring->limbs(),
             level_.key_ring->limbs() - level_.ring->limbs()},
        batch_(batch),
        ab_(zeros(*tables_.ring, 4)),
        result_(zeros(*tables_.ring, 3)),
        digits_(zeros(*level_.key_ring, level_.digits.size())),
        sum_(zeros(*level_.key_ring, 2)) {}

  /// Valid as long as this object.
  std::vector<BfvStep> steps() {
    std::vector<BfvStep> steps;
    product(steps);
    key_switching(steps);
    return steps;
  }

 private:
  /// Operands and sum of a product modulo one of its bases.
  struct Base {
    const RingTables* ring;
    std::string name;
    DeviceArray operands, sum;
  };

  void product(std::vector<BfvStep>& steps) {
    const std::size_t b = batch_;
    const std::size_t extend = 4 * products(*tables_.extend), scale = 3 * products(*tables_.scale);
    bases_.clear();
    bases_.push_back(base(*tables_.ring, "Q"));
    bases_.push_back(base(*tables_.auxiliary, "auxiliary base"));
    if (tables_.joint != nullptr) bases_.push_back(base(*tables_.joint, "both bases"));
    add(steps, "extend", 0, extend, false,
        [this, b] { queue_.apply(*tables_.extend, ab_.data(), nullptr, bases_[1].operands.data(), 4 * b); });
    // Where both bases are transformed together, the single ones are shown beside that.
    for (Base& each : bases_) {
      const bool counted = bases_.size() == 2 || &each == &bases_.back();
      const std::size_t limbs = each.ring->limbs();
      add(steps, "forward, " + each.name, 4 * limbs, 0, !counted,
          [this, b, &each] { queue_.forward(*each.ring, each.operands.data(), 4 * b); });
      add(steps, "tensor, " + each.name, 0, 0, !counted, [this, b, &each] {
        queue_.tensor(*each.ring, each.operands.data(), second(each), each.sum.data(), false, b);
      });
      add(steps, "inverse, " + each.name, 3 * limbs, 0, !counted,
          [this, b, &each] { queue_.inverse(*each.ring, each.sum.data(), 3 * b); });
      add(steps, "tensor product, " + each.name, 7 * limbs, 0, true, [this, b, &each] {
        queue_.tensor_product(*each.ring, each.operands.data(), second(each), each.sum.data(), false, true,
                              b);
      });
    }
    add(steps, "scale and back to Q", 0, scale, false, [this, b] {
      queue_.apply(*tables_.scale, bases_[0].sum.data(), bases_[1].sum.data(), result_.data(), 3 * b);
    });
    const std::size_t transforms = 7 * (tables_.ring->limbs() + tables_.auxiliary->limbs());
    add(steps, "product", transforms, extend + scale, true, [this, b] {
      const std::size_t stride = 2 * tables_.ring->words();
      const BatchRows x{ab_.data(), stride}, y{ab_.data() + b * stride, stride};
      queue_.sum_of_products(tables_, {&x, 1}, {&y, 1}, result_.data(), b);
    });
  }
  void key_switching(std::vector<BfvStep>& steps) {
    const std::size_t b = batch_, limbs = level_.key_ring->limbs(), count = level_.digits.size();
    const BatchRows c{result_.data(), 3 * tables_.ring->words()};
    std::size_t decompose = 0;
    for (const auto& digit : level_.digits) decompose += products(*digit);
    const std::size_t division = level_.division == nullptr ? 0 : 2 * products(*level_.division);
    const std::size_t key_bytes =
        2 * count * level_.key_ring->words() * (level_.key_ring->spec().word_bits / 8);
    add(steps, "decompose", count * limbs, decompose, false,
        [this, b, c] { queue_.decompose(level_, c, Form::coefficients, digits_.data(), b); });
    add(steps, "inner product", 0, 0, false,
        [this, b] { queue_.inner_product(level_, digits_.data(), key_, sum_.data(), b, false); });
    steps.back().bytes = key_bytes;
    add(steps, "mod down", 2 * limbs, division, false,
        [this, b, c] { queue_.mod_down(level_, sum_.data(), c, 2, Form::coefficients, ab_.data(), b); });
    add(steps, "switch key", (count + 2) * limbs, decompose + division, true,
        [this, b, c] { queue_.switch_key(level_, c, key_, c, 2, Form::coefficients, ab_.data(), b); });
    steps.back().bytes = key_bytes;
  }

  void add(std::vector<BfvStep>& steps, std::string name, std::size_t transforms, std::size_t products,
           bool fused, std::function<void()> run) const {
    steps.push_back(
        {std::move(name), transforms * batch_, products * batch_ * context_.n(), 0, fused, std::move(run)});
  }
  Base base(const RingTables& ring, std::string name) const {
    return {&ring, std::move(name), zeros(ring, 4), zeros(ring, 3)};
  }
  WordPtr second(Base& base) const { return base.operands.data() + 2 * batch_ * base.ring->words(); }
  DeviceArray zeros(const RingTables& ring, std::size_t polynomials) const {
    DeviceArray array = queue_.allocate(ring, polynomials * batch_);
    queue_.fill_zero(array.data(), array.size());
    return array;
  }
  /// Products with constants per coefficient of every step of a chain.
  static std::size_t products(const StepTables& tables) {
    std::size_t sum = 0;
    for (const RnsStep& step : tables.chain()) sum += step.sources.size() * step.targets.size();
    return sum;
  }

  const bfv::Context& context_;
  const Queue& queue_;
  const ProductTables& tables_;
  const SwitchTables& level_;
  KeyRows key_;
  std::size_t batch_;
  std::vector<Base> bases_;
  DeviceArray ab_, result_, digits_, sum_;
};

}  // namespace nttforge::bench
