import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

interface Kept {
  readonly status: number
  readonly type: string
  readonly body: Buffer
}

/** A server in this process that asks another one once and then gives its answers from memory: a client's own time. */
export async function openEcho(origin: string): Promise<{ url: string; close(): Promise<void> }> {
  const kept = new Map<string, Kept>()
  const server = createServer((request, response) => {
    void answer(request).then(
      ({ status, type, body }) => {
        response.writeHead(status, { 'content-type': type })
        response.end(body)
      },
      (error: unknown) => response.destroy(error as Error),
    )
  })
  const answer = async (request: IncomingMessage): Promise<Kept> => {
    const body = await buffer(request)
    const key = `${request.method} ${request.url} ${body.toString('latin1')}`
    const found = kept.get(key) ?? (await ask(origin, request, body))
    kept.set(key, found)
    return found
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const PASSED_ON = ['authorization', 'content-type', 'content-encoding', 'accept', 'git-protocol'] as const

async function ask(origin: string, request: IncomingMessage, body: Buffer): Promise<Kept> {
  const headers = PASSED_ON.flatMap((name) =>
    request.headers[name] === undefined ? [] : [[name, String(request.headers[name])] as [string, string]],
  )
  const method = request.method ?? 'GET'
  const answer = await fetch(`${origin}${request.url}`, {
    method,
    headers,
    ...(method === 'GET' ? {} : { body: new Uint8Array(body) }),
  })
  return {
    status: answer.status,
    type: answer.headers.get('content-type') ?? '',
    body: Buffer.from(await answer.arrayBuffer()),
  }
}
