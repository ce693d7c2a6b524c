/**
 * Promise.all for work that writes: when one fails, the others are waited for before its error is thrown, so that the
 * caller can delete what they wrote.
 */
export async function settleAll<T>(tasks: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(tasks)
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}
