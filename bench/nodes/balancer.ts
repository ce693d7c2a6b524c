import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Any } from '../../test/harness/client.ts'
import type { Node } from './cluster.ts'
import type { Journal, RequestKind } from './journal.ts'

export interface Request {
  readonly method?: string
  /** The path after /api/v1, or a whole path. */
  readonly path: string
  readonly body?: unknown
  /** A file for a form, in place of `body`. */
  readonly file?: { readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> }
}

export interface Reply {
  readonly node: number
  readonly status: number
  readonly json: Any
}

const ABSENCE_MS = 5
const TIMEOUT_MS = 60_000

/** Sends requests to the nodes in turn as a balancer does: one that could not be connected to goes to another node. */
export class Balancer {
  readonly #nodes: readonly Node[]
  readonly #journal: Journal
  readonly #authorization: string
  #next = 0

  constructor(nodes: readonly Node[], journal: Journal, authorization: string) {
    this.#nodes = nodes
    this.#journal = journal
    this.#authorization = authorization
  }

  get authorization(): string {
    return this.#authorization
  }

  /** The number of a node that is up. */
  async pick(): Promise<number> {
    for (;;) {
      for (let tries = 0; tries < this.#nodes.length; tries++) {
        const n = this.#next++ % this.#nodes.length
        if (this.#nodes[n]!.isUp) return n
      }
      await sleep(ABSENCE_MS)
    }
  }

  /** Undefined for a failure, which is in the journal. */
  async send(kind: RequestKind, request: Request): Promise<Reply | undefined> {
    for (;;) {
      const n = await this.pick()
      const from = performance.now()
      try {
        const reply = await this.sendTo(n, request)
        if (reply.status >= 200 && reply.status <= 299) {
          this.#journal.times[kind].push(performance.now() - from)
          return reply
        }
        const text = `${request.method ?? 'GET'} ${request.path} ${JSON.stringify(reply.json)}`
        this.#fail({ kind, node: n, from, reason: String(reply.status), text })
        return undefined
      } catch (error) {
        const { code } = ((error as Error).cause ?? {}) as { code?: string }
        if (code === 'ECONNREFUSED') {
          await sleep(ABSENCE_MS)
          continue
        }
        this.#fail({
          kind,
          node: n,
          from,
          reason: code ?? (error as Error).name,
          text: `${request.path}: ${String(error)}`,
        })
        return undefined
      }
    }
  }

  #fail(failure: Omit<Journal['failures'][number], 'until'>): void {
    this.#journal.failures.push({ ...failure, until: performance.now() })
  }

  /** Sends to one node, whatever happens; throws what fetch throws. */
  async sendTo(n: number, { method = 'GET', path, body, file }: Request): Promise<Reply> {
    const form = file && new FormData()
    form?.append('attachment', new Blob([file!.bytes]), file!.name)
    const sent = form ?? (body === undefined ? undefined : JSON.stringify(body))
    const answer = await fetch(`${this.#nodes[n]!.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: this.#authorization,
        ...(form === undefined && { 'content-type': 'application/json' }),
      },
      ...(sent !== undefined && { body: sent }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await answer.text()
    return { node: n, status: answer.status, json: /^[[{]/.test(text) ? JSON.parse(text) : text }
  }
}
