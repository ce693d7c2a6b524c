import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHostGuard, createOutgoingClient } from '../../src/core/platform/outgoing/index.ts'
import type { SourceDeps, SourceLocation } from '../../src/domains/migration/imports/source-location.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** The HTTP API of another service on loopback. */
export interface FakeService {
  /** http://127.0.0.1:port */
  readonly url: string
  /** Path with query of every request so far. */
  readonly requests: string[]
  /** Answers by path with query, or by path alone; 404 without one. */
  readonly routes: Map<string, Handler>
  /** Milliseconds of every wait of the reader so far; nothing waits really. */
  readonly waits: number[]
  /** What a source is opened with. */
  readonly deps: SourceDeps
  close(): Promise<void>
}

/** The time of the reader. */
export const NOW = Date.UTC(2026, 0, 2)

export async function startFakeService(options: { readonly maxWait?: number } = {}): Promise<FakeService> {
  const requests: string[] = []
  const waits: number[] = []
  const routes = new Map<string, Handler>()
  const server = createServer((request, response) => {
    const url = request.url!
    requests.push(url)
    const handler = routes.get(url) ?? routes.get(url.replace(/\?.*/, ''))
    if (handler === undefined) response.writeHead(404).end('{}')
    else handler(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = createOutgoingClient({ guard: createHostGuard('loopback', 'test.hosts'), userAgent: 'ingot-test' })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    routes,
    waits,
    deps: {
      client,
      timeout: 10_000,
      patience: {
        clock: { now: () => NOW },
        maxWait: options.maxWait ?? 60_000,
        sleep: async (ms) => void waits.push(ms),
      },
    },
    async close() {
      await client.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The location of a repository that is read without credentials. */
export const locationOf = (url: string, rest: Partial<SourceLocation> = {}): SourceLocation => ({
  url,
  credentials: undefined,
  token: '',
  withIssues: true,
  withConfidential: false,
  startedAt: NOW,
  warn: () => {},
  ...rest,
})

/** A route that answers with JSON. */
export const json =
  (value: unknown, headers: Record<string, string> = {}): Handler =>
  (_, response) =>
    void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))

/** A route that answers with a status. */
export const status =
  (code: number, headers: Record<string, string> = {}, body = ''): Handler =>
  (_, response) =>
    void response.writeHead(code, headers).end(body)

/** All items of a list of pages. */
export async function allOf<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const items: T[] = []
  for await (const page of pages) items.push(...page)
  return items
}
