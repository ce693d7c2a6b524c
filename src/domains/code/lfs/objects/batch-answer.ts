import { members, type Members, parseJson } from '../../../../core/platform/json-members.ts'
import type { LfsObject } from '../lfs.store.ts'

/** The response of another server for one object of a batch. */
export interface RemoteVerdict {
  readonly object: LfsObject
  /** Absent if no transfer is needed. */
  readonly action?: RemoteAction
  readonly verify?: RemoteAction
  /** Why the object is not available. */
  readonly problem?: string
}

export interface RemoteAction {
  readonly href: string
  readonly headers: Readonly<Record<string, string>>
  /** Whether the client must send the bytes in chunks, without a content length. */
  readonly isChunked: boolean
}

/** Headers of the transfer that the client sets itself. */
const OWN_HEADERS = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'expect',
  'upgrade',
  'keep-alive',
  'te',
  'trailer',
  'proxy-authorization',
  'proxy-connection',
])
const MAX_HEADERS = 50
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const MAX_PROBLEM = 200

/**
 * Parses the response to a batch (git-lfs specification, Batch API): one verdict for each requested object. Undefined
 * if the response is invalid.
 */
export function readBatchAnswer(
  text: string,
  operation: 'download' | 'upload',
  requested: readonly LfsObject[],
): RemoteVerdict[] | undefined {
  const answer = members(parseJson(text)?.value)
  if (!Array.isArray(answer['objects'])) return undefined
  const transfer = answer['transfer'] ?? 'basic'
  if (transfer !== 'basic') return undefined
  const byOid = new Map((answer['objects'] as unknown[]).map(members).map((entry) => [entry['oid'], entry]))
  return requested.map((object) => readEntry(object, operation, byOid.get(object.oid)))
}

function readEntry(object: LfsObject, operation: 'download' | 'upload', entry: Members | undefined): RemoteVerdict {
  if (entry === undefined) return { object, problem: 'the other server does not mention it' }
  const error = members(entry['error'])
  if (entry['error'] !== undefined && entry['error'] !== null) return { object, problem: problemOf(error) }
  const actions = members(entry['actions'])
  const action = readAction(actions[operation])
  const verify = readAction(actions['verify'])
  if (operation === 'download' && action === undefined)
    return { object, problem: 'the other server does not say where it is' }
  return { object, ...(action && { action }), ...(verify && { verify }) }
}

function readAction(value: unknown): RemoteAction | undefined {
  const { href, header } = members(value)
  if (typeof href !== 'string' || !URL.canParse(href)) return undefined
  const given = Object.entries(members(header))
    .filter(
      (entry): entry is [string, string] =>
        typeof entry[1] === 'string' && TOKEN.test(entry[0]) && !/[\r\n\0]/.test(entry[1]),
    )
    .slice(0, MAX_HEADERS)
  return {
    href,
    headers: Object.fromEntries(given.filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()))),
    isChunked: given.some(
      ([name, text]) => name.toLowerCase() === 'transfer-encoding' && text.toLowerCase() === 'chunked',
    ),
  }
}

function problemOf({ code, message }: Members): string {
  const said =
    typeof message === 'string'
      ? message
          .replaceAll(/[^\x20-\x7e]+/g, ' ')
          .trim()
          .slice(0, MAX_PROBLEM)
      : ''
  return [typeof code === 'number' ? String(code) : '', said].filter(Boolean).join(' ') || 'refused'
}
