// SPDX-License-Identifier: Apache-2.0
// Ciphertexts to bytes; read_ciphertext.cpp reads them.

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/text/bits.hpp"
#include "nttforge/rlwe/bytes/format.hpp"
#include "nttforge/rlwe/bytes/payload.hpp"
#include "nttforge/rlwe/levels/rounding.hpp"
#include "nttforge/rlwe/serialize.hpp"

namespace nttforge::rlwe {
namespace {

std::string text(std::uint64_t value) { return std::to_string(value); }

/// Without noise, that decryption is predicted to be right is all that is told: level 0. throws NoiseError
/// where it is not.
void write_noise(const Ciphertext& object, bool noise, ByteWriter& writer) {
  const NoiseSource source = noise ? object.meta().source : NoiseSource::computed;
  const RlweNoiseModel& model = object.context()->noise_model();
  std::int32_t level = 0;
  if (!noise) {
    const bool known = object.noise().known();
    if (!known || model.stored_level(object.noise(), object.level()) < 0)
      throw NoiseError(
          std::string("ciphertext: bytes without noise say that the predicted budget is above 0 bits, and ") +
          (known ? "it is not: use parameters with more room or fewer operations"
                 : "nothing is known of it: compute from ciphertexts that have their noise") +
          ", or write it with its noise (to_bytes(noise=True))");
  } else if (source == NoiseSource::computed) {
    level = model.stored_level(object.noise(), object.level());
  }
  writer.u8(static_cast<std::uint8_t>(source));
  writer.u32(static_cast<std::uint32_t>(level));
}

/// What whoever encrypted said of the numbers: nothing here depends on them.
void write_numbers(const Meta& meta, ByteWriter& writer) {
  for (const double number : {meta.scale.hi, meta.scale.lo, meta.numbers.bound})
    writer.u64(std::bit_cast<std::uint64_t>(number));
  writer.u32(meta.slots);
  writer.u8(meta.numbers.real ? 1 : 0);
  for (int i = 0; i < 3; ++i) writer.u8(0);
}

/// What comes before the polynomials of a ciphertext that says `meta`.
std::vector<std::uint8_t> fields_of(const Ciphertext& object, const Meta& meta, std::size_t batch,
                                    bool noise) {
  ByteWriter writer;
  writer.u16(static_cast<std::uint16_t>(object.size()));
  writer.u16(static_cast<std::uint16_t>(meta.level));
  writer.u32(static_cast<std::uint32_t>(batch));
  writer.u8(static_cast<std::uint8_t>(meta.form));
  writer.u8(static_cast<std::uint8_t>(meta.encoding));
  writer.u8(meta.seed.has_value() ? kSeeded : meta.rounded() ? kRounded : 0);
  write_noise(object, noise, writer);
  writer.u64(meta.factor);
  if (object.context()->parameters().approximate()) write_numbers(meta, writer);
  if (meta.seed.has_value()) write_seed(*meta.seed, writer);
  if (meta.rounded()) {
    writer.bytes(meta.stored_bits);
    for (int i = 0; i < 5; ++i) writer.u8(0);
  }
  return writer.take();
}

/// Ciphertexts of one kind on their way to bytes: several elements of a batch leave the device at once.
class Leaving {
 public:
  /// Objects of `batch` elements each, which say `meta`.
  Leaving(const Ciphertext& object, const Meta& meta, std::size_t batch, bool noise)
      : object_(object), context_(*object.context()), batch_(batch) {
    const std::vector<std::uint64_t>& q = context_.ring_q(meta.level).spec().moduli;
    for (std::size_t i = 0; i < (meta.seed.has_value() ? 1 : object.size()); ++i) {
      if (meta.rounded())
        moduli_.push_back(std::uint64_t{1} << meta.stored_bits[i]);
      else
        moduli_.insert(moduli_.end(), q.begin(), q.end());
    }
    const std::vector<std::uint8_t> fields = fields_of(object, meta, batch, noise);
    const std::size_t payload = fields.size() + batch * rows_bytes(context_.n(), moduli_);
    ByteWriter writer;
    write_header(
        {kVersion, context_.parameters().scheme, ObjectKind::ciphertext, context_.fingerprint(), payload},
        writer);
    writer.bytes(fields);
    head_ = writer.take();
    bytes_ = kHeaderBytes + payload + kChecksumBytes;
  }

  std::size_t bytes() const { return bytes_; }  ///< of an object

  /// The objects from element `first` on, one behind the other, each to a place of bytes() bytes.
  void write(std::size_t first, std::span<const std::span<std::uint8_t>> out) {
    const std::size_t n = context_.n(), elements = out.size() * batch_;
    const std::size_t most = std::max<std::size_t>(1, kMostWords / (moduli_.size() * n));
    for (const auto& place : out) std::copy(head_.begin(), head_.end(), place.begin());
    for (std::size_t done = 0, count = 0; done < elements; done += count) {
      count = std::min(most, elements - done);
      poll_interrupt();
      fetch(first + done, count);
      for (std::size_t e = 0; e < count; ++e) pack(e, (done + e) % batch_, out[(done + e) / batch_]);
    }
    for (const auto& place : out) {
      ByteWriter checksum;
      checksum.u64(checksum64(place.first(bytes_ - kChecksumBytes)));
      std::copy(checksum.data().begin(), checksum.data().end(), place.last(kChecksumBytes).begin());
    }
  }

 private:
  static constexpr std::size_t kMostWords = std::size_t{1} << 17;  // at once: they stay in the host's caches

  void fetch(std::size_t first, std::size_t count) {
    const Meta& meta = object_.meta();
    const std::size_t n = context_.n();
    if (!meta.rounded()) {
      row_stride_ = n, element_stride_ = object_.element_words();
      return bring(object_.part(0, first), (count - 1) * element_stride_ + moduli_.size() * n);
    }
    row_stride_ = count * n, element_stride_ = n;  // [parts][count][n]
    const std::size_t words = moduli_.size() * row_stride_;
    if (rounded_.size() < words) rounded_ = context_.queue().allocate(words);
    for (std::size_t i = 0; i < moduli_.size(); ++i)
      context_.rounding(meta.level, meta.stored_bits[i])
          .down({object_.part(i, first), object_.element_words()}, rounded_.data() + i * row_stride_, count);
    bring(rounded_.data(), words);
  }

  /// Words of the host stay where they are.
  void bring(ConstWordPtr from, std::size_t count) {
    if (from.word_bits() == 64 && context_.device().memory_space() == "host") {
      words_ = from.as<std::uint64_t>();
      return;
    }
    host_.resize(count);
    context_.queue().download(from, host_);
    words_ = host_.data();
  }

  /// Element e of those that were fetched, as a number of its object.
  void pack(std::size_t e, std::size_t number, std::span<std::uint8_t> object) const {
    const std::size_t n = context_.n();
    std::size_t to = head_.size() + number * rows_bytes(n, moduli_), from = e * element_stride_;
    for (const std::uint64_t modulus : moduli_) {
      pack_residues({words_ + from, n}, modulus, object.subspan(to, row_bytes(n, modulus)));
      to += row_bytes(n, modulus), from += row_stride_;
    }
  }

  const Ciphertext& object_;
  const RlweContext& context_;
  std::size_t batch_, bytes_;
  std::vector<std::uint64_t> moduli_;  ///< of the rows of an element
  std::vector<std::uint8_t> head_;     ///< header and fields
  DeviceArray rounded_;
  std::vector<std::uint64_t> host_;
  const std::uint64_t* words_ = nullptr;
  std::size_t row_stride_ = 0, element_stride_ = 0;
};

void require_encrypted(const Ciphertext& object) {
  require_object(object.context(), "ciphertext");
  if (object.size() == 1)
    throw ParameterError("this is a plaintext, which has bytes of its own: encrypt it first");
}

}  // namespace

std::vector<std::uint8_t> to_bytes(const Ciphertext& object, bool noise) {
  require_encrypted(object);
  Leaving leaving(object, object.meta(), object.batch(), noise);
  std::vector<std::uint8_t> bytes(leaving.bytes());
  const std::span<std::uint8_t> place = bytes;
  leaving.write(0, {&place, 1});
  return bytes;
}

std::size_t element_bytes(const Ciphertext& object, bool noise) {
  require_encrypted(object);
  return Leaving(object, object.meta().without_seed(), 1, noise).bytes();
}

void elements_to_bytes(const Ciphertext& object, std::size_t first, bool noise,
                       std::span<const std::span<std::uint8_t>> out) {
  require_encrypted(object);
  require_elements(first, out.size(), object.batch());
  Leaving leaving(object, object.meta().without_seed(), 1, noise);
  for (const auto& place : out)
    if (place.size() != leaving.bytes())
      throw SizeError("out has places of " + text(place.size()) + " bytes, and an element takes " +
                      text(leaving.bytes()));
  leaving.write(first, out);
}

}  // namespace nttforge::rlwe
