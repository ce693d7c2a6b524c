import { members, type Members, parseJson, textOf } from '../../../core/platform/json-members.ts'
import { unavailable } from '../../../core/platform/errors.ts'
import type { ForgeApi } from '../imports/forge-api.ts'
import { createHostGuard, createOutgoingClient, type OutgoingClient } from '../../../core/platform/outgoing/index.ts'

interface TargetAnswer {
  readonly status: number
  readonly json: unknown
  /** The message of a refusal. */
  readonly message: string
}

export interface TargetApi {
  /** Reads pages as from any other server. */
  readonly forge: ForgeApi
  /** Runs an operation of this server; `as` names the account that the administrator acts as. */
  send(
    method: 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT',
    path: string,
    body?: object,
    as?: string,
  ): Promise<TargetAnswer>
  /** The object at a path; undefined if there is none. */
  find(path: string, as?: string): Promise<Members | undefined>
  /** The pages of a list; none if the list does not exist. */
  pages(path: string, as?: string): AsyncGenerator<readonly Members[]>
  /** Everything of a list; empty if there is none. */
  list(path: string, as?: string): Promise<readonly Members[]>
  close(): Promise<void>
}

interface TargetOptions {
  readonly url: string
  readonly token: string
  readonly signal: AbortSignal
  /** Opens the API with a client that connects to this server alone. */
  openForge(client: OutgoingClient): ForgeApi
}

const TIMEOUT_MS = 120_000
const MAX_BYTES = 32 * 1024 * 1024
const PAGE = 50
const MAX_PAGES = 100_000

/** NOTE: as a part of a path, such a name of the other server would lead to another operation. */
const DOTS = /\/\.{1,2}(?:[/?]|$)/

/** The API of the running server, which does the work. Throws Unavailable. */
export function createTargetApi({ url, token, signal, openForge }: TargetOptions): TargetApi {
  const client = targetClient(url)
  const api: TargetApi = {
    forge: openForge(client),
    async send(method, path, body, as) {
      if (DOTS.test(path)) return { status: 400, json: undefined, message: 'a name is . or ..' }
      const { status, body: bytes } = await client
        .request(`${url}/api/v1${path}`, {
          method,
          headers: {
            authorization: `token ${token}`,
            ...(as !== undefined && { sudo: as }),
            ...(body !== undefined && { 'content-type': 'application/json' }),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
          timeout: TIMEOUT_MS,
          maxBytes: MAX_BYTES,
          signal,
        })
        .catch((error: unknown) => {
          signal.throwIfAborted()
          throw unavailable(`the server at ${url} does not answer: ${(error as Error).message}`)
        })
      const json = parseJson(bytes.toString('utf8'))?.value
      const message = textOf(members(json)['message'], 500) || `status ${status}`
      if (status === 401 || status >= 500) throw unavailable(`${method} ${path}: ${message}`)
      return { status, json, message }
    },
    async find(path, as) {
      const { status, json } = await api.send('GET', path, undefined, as)
      return status === 200 ? members(json) : undefined
    },
    async *pages(path, as) {
      const sign = path.includes('?') ? '&' : '?'
      for (let page = 1; page <= MAX_PAGES; page++) {
        const { json } = await api.send('GET', `${path}${sign}page=${page}&limit=${PAGE}`, undefined, as)
        const items = Array.isArray(json) ? json.map(members) : []
        yield items
        if (items.length < PAGE) return
      }
    },
    list: async (path, as) => (await Array.fromAsync(api.pages(path, as))).flat(),
    close: () => client.close(),
  }
  return api
}

/** Connects to the host of the address and to no other. */
function targetClient(url: string): OutgoingClient {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')
  return createOutgoingClient({ guard: createHostGuard(host, '--to'), userAgent: 'ingot-import' })
}
