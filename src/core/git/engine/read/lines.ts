/** Yields git's output line by line without line ends, bytes as Latin-1. */
export async function* lines(stream: AsyncIterable<Buffer>): AsyncGenerator<string, void, undefined> {
  let rest = ''
  for await (const chunk of stream) {
    const parts = (rest + chunk.toString('latin1')).split('\n')
    rest = parts.pop()!
    yield* parts
  }
  if (rest !== '') yield rest
}
