// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "nttforge/ckks/bootstrap/cosine.hpp"
#include "nttforge/ckks/bootstrap/keys.hpp"
#include "nttforge/ckks/linear_transform.hpp"
#include "nttforge/rlwe/key_generator.hpp"

namespace nttforge::ckks {

/// Where the slots' values are moved to coefficients: after the sine, from the lowest level on; or before, so
/// that the sine acts on the numbers themselves and the maps are at levels of few primes, below which they
/// cannot be bootstrapped (docs/bounds/ckks_bootstrap.md).
enum class SlotsToCoefficients : std::uint8_t { last, first };

/// How a bootstrap is made; what is not said has a value that fits.
struct Bootstrap {
  std::size_t slots = 0;  ///< of the messages; 0: n/2
  /// Layers of the transform in each matrix, in order of application; each matrix takes a level.
  std::vector<std::size_t> to_slots{};
  std::vector<std::size_t> to_coefficients{};  ///< likewise, of the way back
  std::uint32_t weight = 32;                   ///< of the ephemeral secret
  unsigned range = 16;                         ///< |I| stays below, but for 2^failure_log2()
  unsigned double_angles = 3;                  ///< of the cosine
  std::size_t degree = 30;                     ///< of its polynomial, even
  SlotsToCoefficients order = SlotsToCoefficients::last;
  /// Most bits that numbers are left below the lowest modulus: fewer make the sine's error larger and all
  /// others smaller. With the slots moved first, scales say how many: sine's less result's, and 2.65.
  unsigned ratio_bits = 10;
  double bound = 1;  ///< of numbers that have all of these bits
  /// Maps by chains of rotations, which take two or three keys each: slower, and some bits less.
  bool small_keys = false;

  friend bool operator==(const Bootstrap&, const Bootstrap&) = default;
};

/// Index of KeyGenerator::key_switch_key from the dense to the sparse secret.
inline constexpr std::uint32_t kToSparse = std::uint32_t{1} << 21;
/// The one back.
inline constexpr std::uint32_t kToDense = kToSparse + 1;
/// Special primes of the key to the sparse secret, as few as are as large as the lowest level's primes:
/// security depends on the product of all.
std::size_t ephemeral_special(const Parameters& parameters);

class Bootstrapper;

/// A second device that bootstraps along: a bootstrapper of the same options in a context of equal
/// parameters there, and keys_of_partner(). All of it outlives the calls that name it.
struct Partner {
  const Bootstrapper& bootstrapper;
  const Evaluator& evaluator;
  const BootstrapKeys& keys;
};

/// Bootstrapping of CKKS [CHKKS18]: a ciphertext at its lowest level becomes one of the same numbers at
/// level(). The message goes to a sparse ephemeral secret [BTH22] there and modulo Q, which adds q_0 I; its
/// coefficients are moved to slots, I is removed by the sine, as a cosine of even degree with double angles
/// [HK20], and they are moved back, or have been before. Immutable; concurrent use is safe.
class Bootstrapper {
 public:
  /// throws ParameterError for options out of range, or a set with too few levels, naming how many are
  /// needed.
  explicit Bootstrapper(ContextPtr context, Bootstrap options = {});

  const ContextPtr& context() const { return context_; }
  const Bootstrap& options() const { return options_; }
  std::size_t level() const { return level_; }  ///< of results
  std::size_t input_level() const;              ///< of arguments, at least
  std::size_t levels_needed() const;            ///< of the set, for a result of one level
  double ratio_log2() const;                    ///< of the lowest modulus and numbers of 1 there
  const Cosine& cosine() const { return cosine_; }
  /// log2 of the probability that a bootstrap of n coefficients meets an I that the sine is not for, whatever
  /// the message is.
  double failure_log2() const;
  std::vector<std::int64_t> rotations() const;  ///< that need keys, beside the conjugation
  /// Steps that need keys, and the highest level at which each does.
  std::map<std::int64_t, std::size_t> rotation_levels() const;
  /// The level at which coefficients are in slots: of the conjugation and the relinearization key.
  std::size_t sine_level() const { return context_->top_level() - options_.to_slots.size(); }
  std::size_t sine_levels() const;  ///< that the sine takes
  std::size_t ephemeral_special() const { return ckks::ephemeral_special(context_->parameters()); }
  std::uint64_t keys_bytes() const;  ///< of BootstrapKeys in memory
  /// The ephemeral secret is forgotten; from a seed of its own it is made in tests. offload: as
  /// BootstrapKeys::offload, key after key as they are made. throws UnsupportedError if they take more memory
  /// than there is.
  BootstrapKeys make_keys(const KeyGenerator& generator,
                          std::optional<std::size_t> offload = std::nullopt) const {
    return make_keys(generator, os_seed(), offload);
  }
  BootstrapKeys make_keys(const KeyGenerator& generator, const Seed& ephemeral,
                          std::optional<std::size_t> offload = std::nullopt) const;

  /// Each element of `a`, two parts, whose numbers are at most 2^(ratio_log2() - 5), and whose scale at
  /// input_level() may be off from that of the level by a factor of 1.4. Its error grows by what
  /// error_log2() of the result says. level: of the result, 0 for the highest. iterations: after the first,
  /// each bootstraps what is left of `a` without the sum so far, multiplied up, and adds it [BCCKKS22]: the
  /// bits of a bootstrap once more each, as far as numbers are known at input_level(), for one level of the
  /// result in all. partner: takes the sine of the second half of the coefficients, and rows of the maps
  /// before it, in a thread of its own (docs/decisions/one-bootstrap-on-two-devices.md); the words are the
  /// same. throws PrecisionError for larger ones, or where an iteration would add nothing; ParameterError,
  /// also for a partner of other options or keys; MissingKeyError, ContextError.
  Ciphertext bootstrap(const Evaluator& evaluator, const Ciphertext& a, const BootstrapKeys& keys,
                       std::size_t level = 0, std::size_t iterations = 1,
                       const Partner* partner = nullptr) const;
  /// Copies of those of the keys that a partner in this context uses; the others stay empty. throws
  /// ContextError, UnsupportedError if the device has too little memory.
  BootstrapKeys keys_of_partner(const BootstrapKeys& keys, const ContextPtr& context) const;

 private:
  static constexpr double kRatio = 5;  // bits of the lowest modulus above scale times bound
  bool first() const { return options_.order == SlotsToCoefficients::first; }
  /// log2 of how much larger numbers are raised than they are at the scale of the lowest level.
  double gain_log2() const;
  /// What the fit is off by in the sine's values.
  Noise fit_error() const;
  /// log2 of a sixth of the cube, which the sine is off by for numbers of 2^bound.
  double cube_log2(double bound) const;
  /// log2 of the error of numbers.
  Noise relative(const Ciphertext& x) const;
  /// One bootstrap of numbers that heuristically are below 2^typical; own_log2: the error without the cube.
  struct Pass {
    Ciphertext result;
    double own_log2;
  };
  /// An argument read at the scale of its level, where its numbers are `off` times as large.
  struct Argument {
    Ciphertext x;
    DoubleDouble off{1, 0};
  };
  Argument argument(const Evaluator& evaluator, const Ciphertext& a) const;
  /// off: that the result's numbers are divided by.
  Pass pass(const Evaluator& evaluator, const Ciphertext& a, const BootstrapKeys& keys,
            const Partner* partner, double typical, const DoubleDouble& off = {1, 0}) const;
  Ciphertext iterated(const Evaluator& evaluator, const Argument& a, const BootstrapKeys& keys,
                      const Partner* partner, std::size_t iterations) const;
  /// Numbers moved to coefficients by maps below the sine; the error that it says is one of coefficients.
  Ciphertext moved(const Evaluator& evaluator, const Ciphertext& a, const RotationKeys& keys,
                   double typical) const;
  /// At the lowest level, as large as they are raised, under the dense secret.
  Ciphertext lowest(const Evaluator& evaluator, const Ciphertext& a, const RotationKeys& keys,
                    double typical) const;
  /// Modulo all primes, under the dense secret again, as numbers phase / (range q_0).
  Ciphertext raised(const Evaluator& evaluator, const Ciphertext& encapsulated,
                    const BootstrapKeys& keys) const;
  /// The phase's coefficients, halved: those of real parts, and i times those of imaginary ones. side: of the
  /// two devices that make them.
  Ciphertext coefficients(const Evaluator& evaluator, Ciphertext raised, const RotationKeys& keys,
                          const multi::Meeting::Side* side = nullptr) const;
  /// The coefficients of real parts, or of imaginary ones.
  Ciphertext real_parts(const Evaluator& evaluator, const Ciphertext& x, const Ciphertext& conjugated) const;
  Ciphertext imaginary_parts(const Evaluator& evaluator, const Ciphertext& x,
                             const Ciphertext& conjugated) const;
  /// From the sparse secret to the sine of the coefficients, as numbers again; of real parts alone if `real`.
  Ciphertext evaluated(const Evaluator& evaluator, const Ciphertext& sparse, const BootstrapKeys& keys,
                       bool real, const DoubleDouble& off) const;
  /// The same by two devices.
  Ciphertext evaluated_by_two(const Evaluator& evaluator, const Ciphertext& sparse, const BootstrapKeys& keys,
                              const Partner& partner, bool real, const DoubleDouble& off) const;
  void require_partner(const BootstrapKeys& keys, const Partner& partner) const;
  Ciphertext sine(const Evaluator& evaluator, const Ciphertext& a, const RelinearizationKey& key,
                  const DoubleDouble& off) const;

  /// The scale of numbers phase / (range q_0).
  DoubleDouble raised_scale() const;

  ContextPtr context_;
  Bootstrap options_;
  std::shared_ptr<const StepTables> raise_;  // from the lowest level to all primes
  std::size_t level_ = 0;
  std::vector<std::int64_t> trace_;  // steps that project to the subring of sparse messages
  std::vector<LinearTransform> to_slots_, to_coefficients_;
  Cosine cosine_;
  std::vector<double> overflows_;  // probabilities of |I|
  std::uint64_t factor_ = 1;       // of numbers before they are raised
  double ratio_ = 1;               // q_0 / what numbers of 1 are when they are raised
};

}  // namespace nttforge::ckks
