import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { performance } from 'node:perf_hooks'

/** A receiver of webhooks, in this process; what came first of each event. */
export interface HookLog {
  readonly url: string
  /** Time of the first delivery by `repo issue TITLE` or `repo push OID`. */
  readonly arrivals: ReadonlyMap<string, number>
  /** Deliveries that came again. */
  repeated(): number
  /** Ids of the pushes to a branch, `repo branch`, in the order of their first deliveries. */
  readonly pushes: ReadonlyMap<string, readonly string[]>
  close(): Promise<void>
}

interface Payload {
  readonly ref?: string
  readonly after?: string
  readonly action?: string
  readonly issue?: { readonly title: string }
  readonly repository: { readonly name: string }
}

export async function startHookLog(): Promise<HookLog> {
  const arrivals = new Map<string, number>()
  const pushes = new Map<string, string[]>()
  let repeated = 0
  const note = ({ ref, after, action, issue, repository: { name } }: Payload): void => {
    const key = after === undefined ? `${name} issue ${issue?.title}` : `${name} push ${after}`
    if (after === undefined && action !== 'opened') return
    if (arrivals.has(key)) return void repeated++
    arrivals.set(key, performance.now())
    if (after === undefined) return
    const branch = `${name} ${ref?.replace('refs/heads/', '')}`
    pushes.set(branch, [...(pushes.get(branch) ?? []), after])
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      note(JSON.parse(Buffer.concat(chunks).toString()) as Payload)
      response.end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    arrivals,
    pushes,
    repeated: () => repeated,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
