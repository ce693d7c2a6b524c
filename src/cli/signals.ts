type Signal = 'SIGINT' | 'SIGTERM'

/** The next signal that ends a server. */
export function nextSignal(): Promise<Signal> {
  return Promise.race(
    (['SIGINT', 'SIGTERM'] as const).map(
      (name) => new Promise<Signal>((resolve) => process.once(name, () => resolve(name))),
    ),
  )
}
