type Signal = 'SIGHUP' | 'SIGINT' | 'SIGTERM'

const ENDING: readonly Signal[] = ['SIGINT', 'SIGTERM']

/** Resolves with the next signal that stops a server; `further` are additional signals. */
export function nextSignal(further: readonly Signal[] = []): Promise<Signal> {
  return Promise.race(
    [...ENDING, ...further].map((name) => new Promise<Signal>((resolve) => process.once(name, () => resolve(name)))),
  )
}

/**
 * Returns the result of `start`; undefined if `stopped` resolves while it waits for the database
 * (`AppOverrides.starting`).
 */
export async function startUnless<T>(
  stopped: Promise<unknown>,
  start: (starting: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const starting = new AbortController()
  void stopped.then(() => starting.abort(new Error('the server stops')))
  try {
    return await start(starting.signal)
  } catch (error) {
    if (error === starting.signal.reason) return undefined
    throw error
  }
}
