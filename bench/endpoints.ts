import { basicHeaders, tokenHeaders } from './api.ts'
import type { Stock } from './fill.ts'
import type { LargeRepo } from './large-repo.ts'
import type { Call } from './load.ts'
import type { Target } from './target.ts'

/** A row of the table of endpoints. */
export interface Endpoint {
  readonly name: string
  /** Undefined where the run has not got what the request needs. */
  readonly next: (() => Call) | undefined
  /** Least requests/s as a share of H. */
  readonly shareOfH?: number
  /** The p50 is held against this git command. */
  readonly against?: 'git log'
}

export interface Place {
  readonly target: Target
  readonly stock: Stock
  readonly large: LargeRepo
}

export function listEndpoints({ target, stock, large }: Place): Endpoint[] {
  const get = (path: string, headers = tokenHeaders(target)) => (): Call => ({ method: 'GET', url: `${target.url}/api/v1${path}`, headers })
  const repo = `/repos/${target.login}/${stock.large}`
  const { password } = target
  return [
    { name: '/version', next: get('/version', {}), shareOfH: 0.5 },
    { name: '/user, token', next: get('/user'), shareOfH: 0.3 },
    { name: '/user, Basic password', next: password === undefined ? undefined : get('/user', basicHeaders(target.login, password)), shareOfH: 0.1 },
    { name: 'one repository', next: get(`/repos/${target.login}/${stock.small}`), shareOfH: 0.2 },
    { name: '/user/repos?limit=50', next: get('/user/repos?limit=50'), shareOfH: 0.02 },
    { name: 'large: contents of a file', next: get(`${repo}/contents/${large.file}`), shareOfH: 0.05 },
    { name: 'large: commits?limit=30', next: get(`${repo}/commits?limit=30`), against: 'git log' },
    { name: 'large: branches', next: get(`${repo}/branches`) },
    { name: 'large: tree, recursive', next: get(`${repo}/git/trees/main?recursive=1`) },
    { name: 'create with auto_init', next: repoCreation(target, stock) },
  ]
}

/** Requests that make a repository each. */
export function repoCreation(target: Target, stock: Stock): () => Call {
  const headers = { ...tokenHeaders(target), 'content-type': 'application/json' }
  return () => {
    const name = `${stock.prefix}-new-${stock.made.length}`
    stock.made.push(name)
    return { method: 'POST', url: `${target.url}/api/v1/user/repos`, headers, body: JSON.stringify({ name, auto_init: true }) }
  }
}
