import type { Call } from '../load/load.ts'

const PATIENCE_MS = 60_000

/** Status of an answer; 0 where the connection broke, -1 where none came in a minute. */
export async function statusOf({ method, url, headers, body }: Call): Promise<number> {
  try {
    const answer = await fetch(url, {
      method,
      headers: headers as Record<string, string>,
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(body === undefined ? {} : { body }),
    })
    await answer.arrayBuffer()
    return answer.status
  } catch (error) {
    return (error as Error).name === 'TimeoutError' ? -1 : 0
  }
}
