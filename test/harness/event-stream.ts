import { type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Any } from './client.ts'

interface StreamMessage {
  /** `message` where the server names none. */
  readonly event: string
  readonly data: Any
}

/** A client of server-sent events: what came so far. */
export interface TestStream {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly messages: readonly StreamMessage[]
  readonly comments: number
  /** The last id that the server sent. */
  readonly lastId: string
  readonly isEnded: boolean
  /** Data of the messages of an event, unnamed ones by default. */
  of(event?: string): Any[]
  /** Stops to read until `resume` is called. */
  pause(): void
  resume(): void
  close(): void
}

/** Opens a stream; resolves when the first lines are there, or with a refusal. */
export function openStream(url: string, path: string, headers: Record<string, string> = {}): Promise<TestStream> {
  return new Promise((resolve, reject) => {
    const call = request(`${url}/api/v1${path}`, { headers, agent: false }, (answer) => {
      const messages: StreamMessage[] = []
      const state = { comments: 0, lastId: '', isEnded: false, text: '' }
      const stream: TestStream = {
        status: answer.statusCode!,
        headers: answer.headers,
        messages,
        get comments() {
          return state.comments
        },
        get lastId() {
          return state.lastId
        },
        get isEnded() {
          return state.isEnded
        },
        of: (event = 'message') => messages.filter((one) => one.event === event).map(({ data }) => data),
        pause: () => void answer.pause(),
        resume: () => void answer.resume(),
        close: () => call.destroy(),
      }
      const readBlock = (block: string): void => {
        const fields = block.split('\n').map((line) => [line.split(':', 1)[0]!, line.replace(/^[^:]*: ?/, '')] as const)
        const value = (name: string): string | undefined => fields.findLast(([field]) => field === name)?.[1]
        state.lastId = value('id') ?? state.lastId
        if (fields.some(([name]) => name === '')) state.comments++
        const data = value('data')
        if (data !== undefined) messages.push({ event: value('event') ?? 'message', data: JSON.parse(data) as Any })
      }
      answer.setEncoding('utf8')
      answer.on('data', (text: string) => {
        state.text += text
        const blocks = state.text.split('\n\n')
        state.text = blocks.pop()!
        for (const block of blocks) readBlock(block)
        resolve(stream)
      })
      answer.on('close', () => {
        state.isEnded = true
        resolve(stream)
      })
      answer.on('error', () => {})
    })
    call.on('error', reject)
    call.end()
  })
}

const DEADLINE_MS = 20_000

/** Waits until it is true; throws after five seconds. */
export async function eventually(isTrue: () => boolean, what = 'nothing happened'): Promise<void> {
  const begin = performance.now()
  while (!isTrue()) {
    if (performance.now() - begin > DEADLINE_MS) throw new Error(`${what} in ${DEADLINE_MS} ms`)
    await sleep(10)
  }
}
