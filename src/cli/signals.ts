type Signal = 'SIGHUP' | 'SIGINT' | 'SIGTERM'

const ENDING: readonly Signal[] = ['SIGINT', 'SIGTERM']

/** The next signal that ends a server; `further` are signals that do so too. */
export function nextSignal(further: readonly Signal[] = []): Promise<Signal> {
  return Promise.race(
    [...ENDING, ...further].map((name) => new Promise<Signal>((resolve) => process.once(name, () => resolve(name)))),
  )
}

/** What `start` makes; undefined when `stopped` resolves while it waits for what it needs (`AppOverrides.starting`). */
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
