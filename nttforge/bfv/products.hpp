// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "nttforge/bfv/noise_model.hpp"
#include "nttforge/integer_encoding/context.hpp"
#include "nttforge/rns/base.hpp"

namespace nttforge::bfv {

/// How ciphertexts are multiplied. Every form decrypts to the same product; words and noise differ
/// (docs/bounds/hps.md). Of one form the words are the same on every device.
///   behz          [BEHZ16], the default
///   hps           [HPS19]: exact but for near halves
///   hps_over_q    [KPZ21]: the second factor by way of a base P of Q's size; its division adds to the noise
///   hps_levelled  the same modulo the primes of Q that noise leaves significant
///   automatic     what was measured as fastest for the dimension, the words and the device
enum class ProductForm : std::uint8_t { behz, hps, hps_over_q, hps_levelled, automatic };

std::string_view product_form_name(ProductForm form);  ///< "behz" ... "hps_levelled", "auto"
/// throws ParameterError naming the forms.
ProductForm product_form(std::string_view name);
/// The form whose products were measured as fastest for sets of this dimension and word size on this kind of
/// device (bench/results/2026-11-23-bfv-products, docs/encrypted-computing.md).
ProductForm fastest_product(const RlweParameters& parameters, const Device& device);

/// The products of one form: their auxiliary bases, steps and tables, level by level, and what they add to
/// noise. Safe to use from many threads.
class Products {
 public:
  /// Products that are scaled together.
  static constexpr std::size_t kTerms = 16;

  /// The context must live as long as the object. ProductForm::automatic becomes the form that is fastest.
  Products(const integer_encoding::IntegerContext& context, ProductForm form);

  ProductForm form() const { return form_; }

  /// The primes of Q that a product of factors of this noise keeps, of the first `level` ones: all of them
  /// but for hps_levelled, where the factors are divided by the others. What the divisions add to the noise
  /// is at least six bits below that of the factors.
  std::size_t kept(const Noise& a, const Noise& b, std::size_t level) const;
  /// What products of factors modulo `level` primes add to noise, keeping so many of them.
  ProductRounding rounding(std::size_t level, std::size_t kept) const;
  /// Their tables, made when they are asked for first.
  const ProductTables& tables(std::size_t level, std::size_t kept) const;

  /// The auxiliary base of products that keep so many primes.
  RnsBase auxiliary(std::size_t kept) const;

 private:
  using Key = std::pair<std::size_t, std::size_t>;
  struct Made {
    ProductTables tables;
    ProductRounding rounding;
  };
  const Made& at(std::size_t level, std::size_t kept) const;
  Made make(std::size_t level, std::size_t kept) const;
  ProductTables behz(std::size_t level) const;
  ProductTables plain(std::size_t level) const;
  ProductTables over_q(std::size_t level, std::size_t kept) const;
  RnsBase first_primes(std::size_t count) const;
  std::shared_ptr<const RingTables> ring(std::size_t level) const;
  std::shared_ptr<const RingTables> ring_of(std::span<const std::uint64_t> moduli) const;
  std::shared_ptr<const StepTables> step(const RnsStep& step) const;

  const integer_encoding::IntegerContext& context_;
  ProductForm form_;
  mutable std::mutex mutex_;
  mutable std::map<Key, std::unique_ptr<const Made>> made_;
};

}  // namespace nttforge::bfv
