/**
 * For a test that compares a time or an amount of memory with a bound: `it(title, MEASURED, ...)`. Other work on the
 * machine, or a garbage collection, can make one attempt exceed the bound; a fault of the program exceeds it in each.
 * Each attempt makes rows, names and files of its own: what an earlier one made is there.
 */
export const MEASURED = { retry: 4 } as const
