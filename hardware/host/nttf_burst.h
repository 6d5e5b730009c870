// SPDX-License-Identifier: Apache-2.0
/* Driver of engines that read and write memory by themselves (NAME_burst.sv), in C99, beside nttf_engine.h.
 *
 * A descriptor moves a frame or a table; up to 16 wait in a queue and are done in their order. Addresses are
 * those of the engines' memory port, multiples of `lanes * element` bytes. A frame's result may go where the
 * frame was. nttf_load and nttf_begin of nttf_engine.h work over descriptors too: `send` of the user's bus
 * calls nttf_burst_push, `receive` waits for nttf_burst_done. */
#ifndef NTTF_BURST_H
#define NTTF_BURST_H

#include "nttf_engine.h"

/* Bits of a descriptor's word beside `user` of a frame: a table is at the source; it waits until all before
 * it are done; an interrupt comes when it is done. */
#define NTTF_TABLE (1u << 29)
#define NTTF_AFTER (1u << 30)
#define NTTF_MARK (1u << 31)

/* Interrupts: a marked descriptor is done, an error was seen. */
enum { NTTF_MARKED = 1, NTTF_ERROR = 2 };

/* What nttf_open does, with a flush that waits for bursts that are under way. */
static inline int nttf_burst_open(nttf_engines* e, nttf_bus bus, const nttf_layout* layout) {
  bus.write(bus.context, 0x04, 1);
  while (bus.read(bus.context, 0x04) & 1) {
  }
  const int found = nttf_open(e, bus, layout);
  while (bus.read(bus.context, 0x04) & 1) { /* nttf_open flushes too */
  }
  bus.write(bus.context, 0x08, 0x3b);
  bus.write(bus.context, 0x38, NTTF_MARKED | NTTF_ERROR);
  return found;
}

/* Puts a descriptor into the queue, as soon as there is a place. */
static inline void nttf_burst_push(const nttf_bus* bus, uint32_t source, uint32_t destination, uint32_t word) {
  bus->write(bus->context, 0x24, source);
  bus->write(bus->context, 0x28, destination);
  while (bus->read(bus->context, 0x34) == 0) {
  }
  bus->write(bus->context, 0x2c, word);
}

/* Descriptors that are done since the last flush, modulo 2^32. */
static inline uint32_t nttf_burst_done(const nttf_bus* bus) { return bus->read(bus->context, 0x30); }

/* NTTF_OK, or NTTF_FAILED where an error was seen, the memory's and refused descriptors among them. */
static inline int nttf_burst_status(const nttf_bus* bus) {
  return (bus->read(bus->context, 0x08) & 0x3b) ? NTTF_FAILED : NTTF_OK;
}

/* Which interrupts may rise, and what has: reading and clearing. */
static inline void nttf_burst_enable(const nttf_bus* bus, uint32_t which) { bus->write(bus->context, 0x3c, which); }
static inline uint32_t nttf_burst_take(const nttf_bus* bus) {
  const uint32_t found = bus->read(bus->context, 0x38);
  if (found) bus->write(bus->context, 0x38, found);
  return found;
}
#endif
