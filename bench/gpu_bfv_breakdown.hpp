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
  bool fused = false;          ///< contains other steps of the list
  std::function<void()> run;
};

/// The operations of one product of batches and its relinearization, with arrays of their own.
class BfvBreakdown {
 public:
  BfvBreakdown(const BfvParty& party, std::size_t batch)
      : context_(*party.context),
        queue_(context_.queue()),
        level_(context_.key_switching(context_.limbs())),
        key_{party.relinearization.key().data(), level_.key_ring->limbs(),
             level_.key_ring->limbs() - level_.ring->limbs()},
        batch_(batch),
        ab_(zeros(context_.ring_q(), 4)),
        extended_(zeros(context_.ring_bsk(), 4)),
        tensor_q_(zeros(context_.ring_q(), 3)),
        tensor_bsk_(zeros(context_.ring_bsk(), 3)),
        result_(zeros(context_.ring_q(), 3)),
        digits_(zeros(*level_.key_ring, level_.digits.size())),
        sum_(zeros(*level_.key_ring, 2)) {}

  /// Valid as long as this object.
  std::vector<BfvStep> steps() {
    const RingTables &q = context_.ring_q(), &bsk = context_.ring_bsk();
    std::vector<BfvStep> steps;
    const auto add = [&](const char* name, std::size_t transforms, std::size_t products, bool fused,
                         std::function<void()> run) {
      steps.push_back(
          {name, transforms * batch_, products * batch_ * context_.n(), 0, fused, std::move(run)});
    };
    const std::size_t b = batch_, lq = q.limbs(), lb = bsk.limbs(), lk = level_.key_ring->limbs();
    const auto half = [b](DeviceArray& x, const RingTables& ring) { return x.data() + 2 * b * ring.words(); };
    add("extend", 0, 4 * products(context_.extend()), false,
        [this, b] { queue_.apply(context_.extend(), ab_.data(), nullptr, extended_.data(), 4 * b); });
    for (const bool auxiliary : {false, true}) {
      const RingTables& ring = auxiliary ? bsk : q;
      DeviceArray& x = auxiliary ? extended_ : ab_;
      DeviceArray& z = auxiliary ? tensor_bsk_ : tensor_q_;
      const std::string base = auxiliary ? ", auxiliary base" : ", Q";
      const std::size_t limbs = auxiliary ? lb : lq;
      add(("forward" + base).c_str(), 4 * limbs, 0, false,
          [this, b, &ring, &x] { queue_.forward(ring, x.data(), 4 * b); });
      add(("tensor" + base).c_str(), 0, 0, false, [this, b, &ring, &x, &z, half] {
        queue_.tensor(ring, x.data(), half(x, ring), z.data(), false, b);
      });
      add(("inverse" + base).c_str(), 3 * limbs, 0, false,
          [this, b, &ring, &z] { queue_.inverse(ring, z.data(), 3 * b); });
      add(("tensor product" + base).c_str(), 7 * limbs, 0, true, [this, b, &ring, &x, &z, half] {
        queue_.tensor_product(ring, x.data(), half(x, ring), z.data(), false, true, b);
      });
    }
    add("floor and back to Q", 0, 3 * products(context_.floor()), false, [this, b] {
      queue_.apply(context_.floor(), tensor_q_.data(), tensor_bsk_.data(), result_.data(), 3 * b);
    });
    const BatchRows c{result_.data(), 3 * q.words()};
    std::size_t digit_products = 0;
    for (const auto& digit : level_.digits) digit_products += products(*digit);
    add("decompose", level_.digits.size() * lk, digit_products, false,
        [this, b, c] { queue_.decompose(level_, c, digits_.data(), b); });
    add("inner product", 0, 0, false,
        [this, b] { queue_.inner_product(level_, digits_.data(), key_, sum_.data(), b); });
    steps.back().bytes =
        2 * level_.digits.size() * level_.key_ring->words() * (level_.key_ring->spec().word_bits / 8);
    const std::size_t division = level_.division == nullptr ? 0 : 2 * products(*level_.division);
    add("mod down", 2 * lk, division, false,
        [this, b, c] { queue_.mod_down(level_, sum_.data(), c, 2, ab_.data(), b); });
    add("switch key", (level_.digits.size() + 2) * lk, digit_products + division, true,
        [this, b, c] { queue_.switch_key(level_, c, key_, c, 2, ab_.data(), b); });
    return steps;
  }

 private:
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
  const SwitchTables& level_;
  KeyRows key_;
  std::size_t batch_;
  DeviceArray ab_, extended_, tensor_q_, tensor_bsk_, result_, digits_, sum_;
};

}  // namespace nttforge::bench
