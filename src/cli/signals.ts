type Signal = 'SIGHUP' | 'SIGINT' | 'SIGTERM'

const ENDING: readonly Signal[] = ['SIGINT', 'SIGTERM']

/** The next signal that ends a server; `further` are signals that do so too. */
export function nextSignal(further: readonly Signal[] = []): Promise<Signal> {
  return Promise.race(
    [...ENDING, ...further].map((name) => new Promise<Signal>((resolve) => process.once(name, () => resolve(name)))),
  )
}
