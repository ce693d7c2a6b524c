import { GitError } from '../../errors.ts'

/** Longer than every path of git and every line of numbers before one. */
const MAX_TOKEN = 64 * 1024

/** What git prints with `-z`, as it comes: the texts that end in NUL, many at a time. */
export async function* nulTokens(stream: AsyncIterable<Buffer>): AsyncGenerator<readonly string[], void, undefined> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of stream) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const tokens: string[] = []
    let at = 0
    for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, at)) {
      tokens.push(bytes.toString('utf8', at, end))
      at = end + 1
    }
    rest = Buffer.from(bytes.subarray(at))
    if (rest.length > MAX_TOKEN) throw new GitError('too-large', 'git printed a path that is too long')
    yield tokens
  }
}
