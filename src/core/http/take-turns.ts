import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

/** Milliseconds in a turn of the event loop for requests that arrived in it, and as many for earlier ones. */
const TURN_MS = 10
const MAX_RESUMED = 32

/**
 * Begins requests for 10 ms in each turn of the event loop; the others wait for later turns, where those that have just
 * arrived go first. The event loop hands over all requests that arrived together, and a caller who sends hundreds at
 * once would let the others wait for all of them.
 */
export function takeTurns(handle: RequestListener): RequestListener {
  const waiting: [IncomingMessage, ServerResponse][] = []
  let began: number | undefined
  let isResuming = false
  const endTurn = (): void => {
    began = undefined
  }
  const beginNext = (): void => {
    const [request, response] = waiting.shift()!
    if (!request.socket.destroyed) handle(request, response)
  }
  /** NOTE: each in a callback of its own, after which its promises go on, so that the time is that of its work. */
  const resume = (): void => {
    isResuming = true
    const count = Math.min(waiting.length, MAX_RESUMED)
    let until: number | undefined
    for (let i = 0; i < count; i++)
      setImmediate(() => {
        if (until === undefined || performance.now() < until) beginNext()
        until ??= performance.now() + TURN_MS
        if (i < count - 1) return
        isResuming = false
        if (waiting.length > 0) resume()
      })
  }
  return (request, response) => {
    if (began === undefined) {
      began = performance.now()
      setImmediate(endTurn)
    } else if (performance.now() - began > TURN_MS) {
      waiting.push([request, response])
      if (!isResuming) resume()
      return
    }
    handle(request, response)
  }
}
