/**
 * Runs a task for each item, a few side by side. The first failure aborts the running ones, waits for them, and is
 * thrown.
 */
export async function eachAtOnce<T>(
  items: readonly T[],
  { atOnce, signal }: { readonly atOnce: number; readonly signal: AbortSignal },
  task: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const ending = new AbortController()
  const both = AbortSignal.any([signal, ending.signal])
  const failures: unknown[] = []
  const waiting = items.values()
  const worker = async (): Promise<void> => {
    for (const item of waiting) {
      if (both.aborted) return
      try {
        await task(item, both)
      } catch (error) {
        failures.push(error)
        ending.abort(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  signal.throwIfAborted()
  if (failures.length > 0) throw failures[0]
}
