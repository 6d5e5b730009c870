// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/bytes/key_parts.hpp"

#include <algorithm>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/rlwe/bytes/format.hpp"

namespace nttforge::rlwe {

void StreamWriter::part() {
  poll_interrupt();
  const std::vector<std::uint8_t> bytes = writer.take();
  writer = ByteWriter();
  if (bytes.empty()) return;
  checksum_.add(bytes);
  to_(bytes);
  done_ += bytes.size();
  if (progress_) progress_(done_, total_);
}

void StreamWriter::finish() {
  part();
  writer.u64(checksum_.value());
  part();
}

std::span<const std::uint8_t> StreamReader::fetch(std::size_t bytes, const std::string& what) {
  poll_interrupt();
  // The buffer grows with what arrives: a header that lies about its payload takes no memory.
  constexpr std::size_t kMost = std::size_t{1} << 22;
  std::size_t have = 0;
  while (have < bytes) {
    const std::size_t next = std::min(bytes - have, kMost);
    if (part_.size() < have + next) part_.resize(have + next);
    const std::size_t got = from_(std::span(part_).subspan(have, next));
    if (got > next)
      throw SizeError("a source gave " + std::to_string(got) + " bytes, of which " + std::to_string(next) +
                      " were asked for");
    have += got;
    if (got < next)
      throw FormatError("truncated: " + what + " needs " + std::to_string(bytes) + " bytes at offset " +
                        std::to_string(done_) + ", and " + std::to_string(have) + " are left");
  }
  done_ += bytes;
  return std::span(part_).first(bytes);
}

ObjectHeader StreamReader::header() {
  const auto bytes = fetch(kHeaderBytes, "header");
  checksum_.add(bytes);
  const ObjectHeader header = parse_header(bytes);
  constexpr std::uint64_t kMostPayload = std::uint64_t{1} << 62;
  if (header.payload_bytes > kMostPayload)
    throw FormatError("header.payload_bytes = " + std::to_string(header.payload_bytes) +
                      " is more than any object has");
  total_ = kHeaderBytes + header.payload_bytes + kChecksumBytes;
  return header;
}

ByteReader StreamReader::take(std::size_t bytes, const std::string& what) {
  if (done_ + bytes > total_ - kChecksumBytes)
    throw FormatError(what + " needs " + std::to_string(bytes) + " bytes at offset " + std::to_string(done_) +
                      ", and the payload ends before: header.payload_bytes does not fit it");
  const auto part = fetch(bytes, what);
  checksum_.add(part);
  if (progress_) progress_(done_, total_);
  return ByteReader(part);
}

void StreamReader::finish() {
  if (done_ != total_ - kChecksumBytes)
    throw FormatError("the keys end at offset " + std::to_string(done_) +
                      ", and header.payload_bytes says that the payload does not");
  ByteReader tail(fetch(kChecksumBytes, "checksum"));
  if (tail.u64("checksum") != checksum_.value())
    throw FormatError("checksum does not match: the bytes were altered");
  if (progress_) progress_(done_, total_);
}

}  // namespace nttforge::rlwe
