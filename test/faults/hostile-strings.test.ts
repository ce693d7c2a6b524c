import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { TObject, TSchema } from '@sinclair/typebox'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Operation } from '../../src/core/http/operation.ts'
import { createLogger } from '../../src/core/platform/logger.ts'
import type { Client } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'

/**
 * Every string that a client may send, one at a time, with texts that break programs which trust them. An administrator
 * sends them, so that no guard stands before the code that reads them. New operations are covered as they are
 * registered. Every parameter gets the worst texts, and each of the others is sent to every few parameters of a kind.
 */

const ANSWER_DEADLINE_MS = 5_000
const AT_ONCE = 8
const LONG = 'x'.repeat(10_240)

interface Hostile {
  /** The text as it is written in a URL. */
  readonly url: string
  /** The text as a value of JSON; undefined if only a URL can express it. */
  readonly text?: string
}

const both = (text: string): Hostile => ({ url: encodeURIComponent(text).replaceAll("'", '%27'), text })

const hostileStrings = (outside: string): Hostile[] => [
  { url: '%2e%2e', text: '..' },
  { url: '%00', text: 'a\0b' },
  { url: '%ff%fe' },
  { url: '%ed%a0%80', text: '\ud800' },
  { url: '%zz' },
  both('../../../../../../etc/passwd'),
  both('/etc/passwd'),
  both(`--output=${outside}`),
  both(`--upload-pack=touch ${outside}`),
  both(`$(touch ${outside})`),
  both('\u0007\u001b[31m\r\nx: y'),
  both('<script>alert(1)</script>'),
  both('🎉\u202e\u200b'),
  both(`'"%_\\;--`),
  both('__proto__'),
  both('-1'),
  both('99999999999999999999'),
  both(LONG),
]

/** Every parameter gets these, by how they stand in a URL. */
const WORST = /^(?:%2e%2e|%00|--output.*|%27%22.*|x+)$/i
/** What databases may take in another way; the other texts differ in nothing that one of them sees. */
const FOR_DATABASES = /%00|%ed|%1b|%22|__proto__|9999|xxx/i
/** The texts of `FOR_DATABASES` that every parameter gets. */
const WORST_FOR_DATABASES = /^%(?:00|27%22.*)$/
/** Read by the same function in every operation: each gets texts in turn only. */
const COMMON: ReadonlySet<string> = new Set(['{owner}', '{repo}', '?page', '?limit'])

interface Place {
  readonly names: Readonly<Record<string, string>>
  /** The id that a path with this part in it means. */
  readonly ids: Readonly<Record<string, string>>
}

interface Sent {
  readonly operation: Operation
  readonly what: string
  readonly path: string
  readonly body?: string
}

describeOnBoth('hostile strings', (on) => {
  let server: TestServer
  let outside: string
  let admin: Client
  let token: string
  /** What the parameters of paths are while one is hostile. */
  let place: Place
  let generation = 0
  const logged: string[] = []
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })

  beforeAll(async () => {
    outside = mkdtempSync(join(tmpdir(), 'ingot-outside-'))
    const log = createLogger('error', new Writable({ write: (chunk, _, done) => (logged.push(String(chunk)), done()) }))
    server = await startServer({ on, log, settings: { data_dir: join(outside, 'a', 'b', 'data') } })
    const root = await server.world.admin()
    token = await root.token('all')
    admin = root.client
    place = await makePlace()
    const [chosen, worst] = on === 'sqlite' ? [/^/, WORST] : [FOR_DATABASES, WORST_FOR_DATABASES]
    texts.all = hostileStrings(join(outside, 'pwned')).filter(({ url }) => chosen.test(url))
    texts.worst = texts.all.filter(({ url }) => worst.test(url))
    texts.others = texts.all.filter(({ url }) => !worst.test(url))
  }, 60_000)
  afterAll(async () => {
    agent.destroy()
    await server.close()
    rmSync(outside, { recursive: true, force: true })
  })

  /** A user, an organization and a repository with one of everything that a path may name. */
  const makePlace = async (): Promise<Place> => {
    const name = `alice${++generation}`
    const alice = await server.world.user(name)
    const org = await server.world.org(`acme${generation}`, { owner: alice })
    const team = await org.team('dev')
    const { id } = await server.world.repo({ owner: alice, name: 'open', autoInit: true, isTemplate: true })
    const repo = `/repos/${name}/open`
    const make = async (path: string, body: object): Promise<string> => {
      const answer = await admin.post(path, body)
      expect(answer.status, path).toBeLessThan(300)
      return String(answer.json.id ?? answer.json.remote_name)
    }
    const hook = { type: 'gitea', config: { url: 'http://127.0.0.1:1/', content_type: 'json' } }
    const release = await make(`${repo}/releases`, { tag_name: 'v1' })
    await make(`${repo}/branch_protections`, { rule_name: 'kept' })
    await make(`${repo}/wiki/new`, { title: 'Home', content_base64: 'eA==' })
    const ids = {
      '/repositories/': String(id),
      '/teams/': String(team.id),
      '/releases/': release,
      '/tag_protections/': await make(`${repo}/tag_protections`, { name_pattern: 'x*', whitelist_usernames: [name] }),
      '/applications/': await make('/user/applications/oauth2', { name: 'app', redirect_uris: ['http://127.0.0.1/'] }),
      '/admin/hooks/': await make('/admin/hooks', hook),
      '/user/hooks/': await make('/user/hooks', hook),
      '/orgs/': await make(`/orgs/${org.name}/hooks`, hook),
      '/repos/': await make(`${repo}/hooks`, hook),
    }
    return {
      ids,
      names: {
        owner: name,
        repo: 'open',
        template_owner: name,
        template_repo: 'open',
        org: org.name,
        username: name,
        target: 'root',
        team: 'dev',
        branch: 'main',
        ref: 'main',
        sha: 'main',
        filepath: 'README.md',
        diffType: 'diff',
        basehead: 'main...main',
        archive: 'main.zip',
        tag: 'v1',
        name: 'kept',
        pageName: 'Home',
        collaborator: 'root',
      },
    }
  }

  const fill = (path: string, hostile: Readonly<Record<string, string>> = {}): string =>
    path.replace(
      /\{(\w+)[^}]*\}/g,
      (_, name: string) =>
        hostile[name] ??
        place.names[name] ??
        Object.entries(place.ids).find(([part]) => path.includes(part))?.[1] ??
        '1',
    )

  /**
   * Some hostile texts are fair names: what was renamed is made anew, so that every operation finds what it works on.
   */
  const keepPlace = async (): Promise<void> => {
    const { owner, org } = place.names
    for (const path of [`/repos/${owner}/open/branches/main`, `/orgs/${org}`]) {
      if ((await admin.get(path)).status === 200) continue
      place = await makePlace()
      return
    }
  }

  /** What the other members of a body are while one is hostile. */
  const plain = (schema: TSchema): unknown => {
    if (Array.isArray(schema['anyOf'])) return plain((schema['anyOf'] as TSchema[])[0]!)
    if (Array.isArray(schema['enum'])) return schema['enum'][0]
    if (schema['const'] !== undefined) return schema['const']
    const kinds: Record<string, unknown> = {
      string: schema['format'] === 'date-time' ? '2030-01-01T00:00:00Z' : 'main',
      integer: 1,
      number: 1,
      boolean: false,
      array: [],
      object: {},
    }
    return kinds[String(schema['type'])]
  }

  /** `value` where this schema takes a string, however deep. */
  const poison = (schema: TSchema, value: string): unknown[] => {
    if (Array.isArray(schema['anyOf'])) return (schema['anyOf'] as TSchema[]).flatMap((option) => poison(option, value))
    if (schema['type'] === 'string') return [value]
    if (schema['type'] === 'array') return poison(schema['items'] as TSchema, value).map((item) => [item])
    if (schema['type'] !== 'object') return []
    const { properties } = schema as Partial<TObject>
    if (properties === undefined) return [{ [value]: value }]
    return Object.keys(properties).flatMap((name) => poisonMember(schema as TObject, name, value))
  }

  const poisonMember = (schema: TObject, name: string, value: string): unknown[] => {
    const others = Object.fromEntries((schema.required ?? []).map((other) => [other, plain(schema.properties[other]!)]))
    return poison(schema.properties[name]!, value).map((poisoned) => ({ ...others, [name]: poisoned }))
  }

  const texts = { all: [] as Hostile[], worst: [] as Hostile[], others: [] as Hostile[] }
  /** How many texts in turn each kind of parameter has got. */
  const turns = new Map<string, number>()

  /** The texts for one more parameter, which is `{name}`, `?name` or, of a body, `body name`. */
  const textsFor = (what: string): Hostile[] => {
    const isCommon = COMMON.has(what)
    const from = isCommon ? texts.all : texts.others
    const kind = isCommon ? what : what.slice(0, 1)
    const turn = turns.get(kind) ?? 0
    const count = isCommon && on === 'sqlite' ? 2 : 1
    turns.set(kind, turn + count)
    const inTurn = Array.from({ length: count }, (_, index) => from[(turn + index) % from.length]!)
    return isCommon ? inTurn : [...texts.worst, ...inTurn]
  }

  const requestsOf = (operation: Operation): Sent[] => {
    const plainPath = fill(operation.path)
    const bodyless = operation.body === undefined || operation.bodyKind === 'stream'
    const requests = (what: string, make: (hostile: Hostile) => Omit<Sent, 'operation' | 'what'>[]): Sent[] =>
      textsFor(what).flatMap((hostile) =>
        make(hostile).map((sent) => ({ operation, what: `${what} ${hostile.url.slice(0, 40)}`, ...sent })),
      )
    const names = [...operation.path.matchAll(/\{(\w+)[^}]*\}/g)].map((match) => match[1]!)
    const inPath = names.flatMap((name) =>
      requests(`{${name}}`, ({ url }) => [
        { path: fill(operation.path, { [name]: url }), ...(bodyless ? {} : { body: '{}' }) },
      ]),
    )
    const queries = operation.method === 'DELETE' ? [] : Object.keys(operation.query?.properties ?? {})
    const inQuery = queries.flatMap((name) =>
      requests(`?${name}`, ({ url }) => [{ path: `${plainPath}?${name}=${url}` }]),
    )
    const members = bodyless ? [] : Object.keys(operation.body.properties)
    const inBody = members.flatMap((name) =>
      requests(`body ${name}`, ({ text }) =>
        text === undefined
          ? []
          : poisonMember(operation.body!, name, text).map((body) => ({ path: plainPath, body: JSON.stringify(body) })),
      ),
    )
    return [...inPath, ...inQuery, ...inBody]
  }

  const send = ({ operation, path, body }: Sent): Promise<number> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(server.url)
      const headers = {
        authorization: `token ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      }
      const call = request(
        {
          agent,
          hostname,
          port,
          method: operation.method,
          path: `/api/v1${path}`,
          headers,
          signal: AbortSignal.timeout(ANSWER_DEADLINE_MS),
        },
        (answer) => {
          // A stream of events has no end: it was answered when it has begun.
          if (answer.headers['content-type']?.startsWith('text/event-stream')) {
            resolve(answer.statusCode!)
            answer.destroy()
            return
          }
          answer
            .resume()
            .once('end', () => resolve(answer.statusCode!))
            .once('error', reject)
        },
      )
      call.once('error', reject).end(body)
    })

  const check = async (sent: Sent): Promise<string[]> => {
    const before = logged.length
    const status = await send(sent).catch((error: Error) => error.message)
    if (typeof status === 'number' && status < 500) return []
    return [`${sent.operation.id} ${sent.what}: ${status} ${logged.slice(before).join(' ').slice(0, 600)}`]
  }

  it('in any path, query or body are answered calmly, in time, and reach nothing outside of the data directory', async () => {
    const wrong: string[] = []
    const operations = [...server.app.operations].sort(
      (a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'),
    )
    let sent = 0
    for (const operation of operations) {
      const queue = requestsOf(operation)
      sent += queue.length
      const sendAll = async (): Promise<void> => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) wrong.push(...(await check(next)))
      }
      await Promise.all(Array.from({ length: AT_ONCE }, sendAll))
      if (operation.method !== 'GET') await keepPlace()
    }
    expect(sent).toBeGreaterThan(4_000)
    expect(texts.worst).toHaveLength(on === 'sqlite' ? 5 : 2)
    // Each text in turn has come to each kind of parameter.
    for (const kind of ['{', '?', 'b']) expect(turns.get(kind)).toBeGreaterThan(5 * texts.others.length)
    for (const what of COMMON) expect(turns.get(what)).toBeGreaterThan(5 * texts.all.length)
    await server.drain()
    expect(wrong).toEqual([])
    expect(logged).toEqual([])
    expect(existsSync(join(outside, 'pwned'))).toBe(false)
    expect([readdirSync(outside), readdirSync(join(outside, 'a')), readdirSync(join(outside, 'a', 'b'))]).toEqual([
      ['a'],
      ['b'],
      ['data'],
    ])
  }, 300_000)
})
