import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A registry of another server whose answers a test chooses. */
export interface FakeUpstream {
  readonly url: string
  /** The requests that came, as method and path. */
  readonly asked: string[]
  readonly headers: IncomingMessage['headers'][]
  answer(respond: (request: IncomingMessage, response: ServerResponse) => void): void
  close(): Promise<void>
}

export async function startUpstream(): Promise<FakeUpstream> {
  const asked: string[] = []
  const headers: IncomingMessage['headers'][] = []
  let respond = (_: IncomingMessage, response: ServerResponse): void => void response.writeHead(404).end()
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    headers.push(request.headers)
    respond(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    headers,
    answer: (next) => (respond = next),
    close: () => new Promise((resolve) => (server.close(() => resolve()), server.closeAllConnections())),
  }
}
