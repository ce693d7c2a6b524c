import { expect } from 'vitest'

/** Milliseconds: below it the clock and the garbage collector decide, not the parser. */
const FLOOR_MS = 20
/** How much longer the large input is. */
const SCALE = 4
/** Linear work on four times the input takes four times as long; the margin is for caches and garbage collection. */
const MAX_FACTOR = 8
const ROUNDS = 3
/** A garbage collection does not come again at the same place; quadratic work does. */
const ATTEMPTS = 3

/**
 * Expects that the time of `parse` grows at most linearly: an input of size 4n takes at most 8 times as long as one of
 * size n, or less than 20 ms. Choose n so large that quadratic work would take seconds. Measures the processor time
 * of this thread, so that other processes do not count, and the shortest of three rounds. A parser that refuses an
 * input by throwing has parsed it.
 */
export async function expectLinear<T>(
  parse: (input: T) => unknown,
  makeInput: (size: number) => T,
  n: number,
): Promise<void> {
  const [small, large] = [n, SCALE * n].map((size) => refusable(parse, makeInput(size)))
  // As much linear work as on the large input, so that both are measured as exactly: the system counts in ticks.
  const smallRuns = async (): Promise<void> => {
    for (let run = 0; run < SCALE; run++) await small!()
  }
  for (let attempt = 1; ; attempt++) {
    const first = await processorTime(large!, Infinity)
    if (first <= FLOOR_MS) return
    const smallTime = (await processorTime(smallRuns, 0)) / SCALE
    const limit = Math.max(FLOOR_MS, MAX_FACTOR * smallTime)
    const largeTime = first <= limit ? first : await processorTime(large!, limit)
    if (largeTime > limit && attempt < ATTEMPTS) continue
    expect(largeTime, `${largeTime} ms at ${SCALE * n}, ${smallTime} ms at ${n}`).toBeLessThanOrEqual(limit)
    return
  }
}

/**
 * The shortest processor time of this thread, in milliseconds, that `work` took in three rounds, or in the first round
 * that took no longer than `enough`.
 */
export async function processorTime(work: () => unknown, enough = FLOOR_MS): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS && best > enough; round++) {
    const { user, system } = process.threadCpuUsage()
    await work()
    const used = process.threadCpuUsage({ user, system })
    best = Math.min(best, (used.user + used.system) / 1000)
  }
  return best
}

/** A parser that refuses the input took time until the refusal. */
const refusable =
  <T>(parse: (input: T) => unknown, input: T): (() => Promise<void>) =>
  async () => {
    try {
      await parse(input)
    } catch {
      // Counted as well.
    }
  }
