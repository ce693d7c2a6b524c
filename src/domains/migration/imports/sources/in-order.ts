import { eachAtOnce } from '../../../../core/platform/concurrency/each-at-once.ts'

/** Results in the order of the items, a few of them computed side by side. */
export async function inOrder<T, R>(
  items: readonly T[],
  { atOnce, signal }: { readonly atOnce: number; readonly signal: AbortSignal },
  read: (item: T, signal: AbortSignal) => Promise<R>,
): Promise<R[]> {
  const results = Array.from<R>({ length: items.length })
  await eachAtOnce([...items.entries()], { atOnce, signal }, async ([index, item], both) => {
    results[index] = await read(item, both)
  })
  return results
}
