// SPDX-License-Identifier: Apache-2.0
// A design compiled by Verilator, as software sees it: registers behind AXI4-Lite and three DMA channels.
// Every call runs the clock until it is done; nothing is skipped, so cycles are those of the hardware with
// a memory that always has the next word.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <vector>

#include "Vprogram.h"
#include "verilated.h"

class RtlModel {
 public:
  // So many cycles without a word or an answer are an error.
  static constexpr std::uint64_t kPatience = 10'000'000;

  RtlModel() : top_(&context_) {
    top_.aresetn = 0;
    for (int i = 0; i < 8; i++) step();
    top_.aresetn = 1;
    step();
  }

  std::uint64_t cycles() const { return cycles_; }

  std::uint32_t read(std::uint32_t address) {
    top_.s_axi_araddr = address;
    top_.s_axi_arvalid = 1;
    top_.s_axi_rready = 1;
    bool asked = false;
    for (std::uint64_t waited = 0; waited < kPatience; waited++) {
      settle();
      const bool takes = top_.s_axi_arvalid && top_.s_axi_arready, answers = top_.s_axi_rvalid;
      const std::uint32_t value = top_.s_axi_rdata;
      step();
      if (takes) top_.s_axi_arvalid = 0;
      asked |= takes;
      if (asked && answers) return value;
    }
    throw std::runtime_error("no answer to a read");
  }

  void write(std::uint32_t address, std::uint32_t value) {
    top_.s_axi_awaddr = address;
    top_.s_axi_wdata = value;
    top_.s_axi_wstrb = 15;
    top_.s_axi_awvalid = top_.s_axi_wvalid = top_.s_axi_bready = 1;
    for (std::uint64_t waited = 0; waited < kPatience; waited++) {
      settle();
      const bool address_taken = top_.s_axi_awvalid && top_.s_axi_awready;
      const bool value_taken = top_.s_axi_wvalid && top_.s_axi_wready, answers = top_.s_axi_bvalid;
      step();
      if (address_taken) top_.s_axi_awvalid = 0;
      if (value_taken) top_.s_axi_wvalid = 0;
      if (answers) return;
    }
    throw std::runtime_error("no answer to a write");
  }

  // Frames are sent from now on; a table is sent when this returns.
  void send(int channel, std::uint32_t user, const void* words, std::size_t bytes) {
    const auto* first = static_cast<const std::uint8_t*>(words);
    sending_[channel].push_back({user, 0, {first, first + bytes}});
    for (std::uint64_t waited = 0; !sending_[1].empty(); waited++) {
      if (waited > kPatience) throw std::runtime_error("a table is not taken");
      step();
    }
  }

  void receive(void* words, std::size_t bytes) {
    std::uint64_t waited = 0;
    while (received_.size() < bytes) {
      const std::size_t before = received_.size() + pending();
      step();
      waited = received_.size() + pending() == before ? waited + 1 : 0;
      if (waited > kPatience) throw std::runtime_error("no results");
    }
    auto* out = static_cast<std::uint8_t*>(words);
    for (std::size_t i = 0; i < bytes; i++) out[i] = received_[i];
    received_.erase(received_.begin(), received_.begin() + static_cast<std::ptrdiff_t>(bytes));
  }

 private:
  struct Transfer {
    std::uint32_t user;
    std::size_t at;
    std::vector<std::uint8_t> bytes;
  };

  std::size_t pending() const {
    std::size_t total = 0;
    for (const auto& channel : sending_)
      for (const auto& transfer : channel) total += transfer.bytes.size() - transfer.at;
    return total;
  }

  template <class Port>
  static bool offer(std::deque<Transfer>& channel, Port& data) {
    if (channel.empty()) return false;
    std::memcpy(&data, channel.front().bytes.data() + channel.front().at, sizeof data);
    return true;
  }

  static void advance(std::deque<Transfer>& channel, std::size_t bytes) {
    channel.front().at += bytes;
    if (channel.front().at == channel.front().bytes.size()) channel.pop_front();
  }

  // The inputs of this cycle, and what follows from them before the clock's edge.
  void settle() {
    auto& frames = sending_[0];
    auto& tables = sending_[1];
    top_.s_axis_tvalid = offer(frames, top_.s_axis_tdata);
    if (!frames.empty()) {
      top_.s_axis_tuser = frames.front().user;
      top_.s_axis_tlast = frames.front().at + sizeof top_.s_axis_tdata == frames.front().bytes.size();
    }
    top_.t_axis_tvalid = offer(tables, top_.t_axis_tdata);
    if (!tables.empty())
      top_.t_axis_tlast = tables.front().at + sizeof top_.t_axis_tdata == tables.front().bytes.size();
    top_.m_axis_tready = 1;
    top_.aclk = 0;
    top_.eval();
  }

  void step() {
    settle();
    const bool frame = top_.s_axis_tvalid && top_.s_axis_tready && top_.aresetn;
    const bool table = top_.t_axis_tvalid && top_.t_axis_tready && top_.aresetn;
    if (top_.m_axis_tvalid && top_.aresetn) {
      const auto* word = reinterpret_cast<const std::uint8_t*>(&top_.m_axis_tdata);
      received_.insert(received_.end(), word, word + sizeof top_.m_axis_tdata);
    }
    top_.aclk = 1;
    top_.eval();
    if (frame) advance(sending_[0], sizeof top_.s_axis_tdata);
    if (table) advance(sending_[1], sizeof top_.t_axis_tdata);
    cycles_++;
  }

  VerilatedContext context_;
  Vprogram top_;
  std::deque<Transfer> sending_[2];
  std::deque<std::uint8_t> received_;
  std::uint64_t cycles_ = 0;
};
