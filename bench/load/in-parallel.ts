const AT_ONCE = 8

/** The results of `count` calls, by number; a few calls run at a time. */
export async function inParallel<T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> {
  const results: T[] = Array.from({ length: count })
  let next = 0
  const one = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) results[i] = await work(i)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, one))
  return results
}
