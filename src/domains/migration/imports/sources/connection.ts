import type { Pages } from '../source.ts'

/** Opens a connection when it is needed first; again after that failed. */
export function connectOnce<Connection>(
  connect: (signal: AbortSignal) => Promise<Connection>,
): (signal: AbortSignal) => Promise<Connection> {
  let found: Promise<Connection> | undefined
  return (signal) => {
    found ??= connect(signal).catch((error: unknown) => {
      found = undefined
      throw error
    })
    return found
  }
}

/** Creates members of a source from functions that read by a connection. */
export const readingBy =
  <Connection>(connect: (signal: AbortSignal) => Promise<Connection>) =>
  <Rest extends readonly unknown[], T>(read: (connection: Connection, ...rest: [...Rest, AbortSignal]) => Pages<T>) =>
    async function* (...rest: [...Rest, AbortSignal]): Pages<T> {
      yield* read(await connect(rest.at(-1) as AbortSignal), ...rest)
    }
