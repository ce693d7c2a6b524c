import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Area, Operation } from '../../../src/core/http/operation.ts'
import { URLENCODED_BYTES } from '../../../src/core/http/body/limits.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { MEASURED } from '../../harness/measured.ts'

/**
 * Every operation with a body gets texts and lists that are as long as its limit; bodies that differ in nothing that
 * the schema of an operation sees go to the first operation of each limit and to the others in turn. None is a fault,
 * none occupies the server's thread, and none remains in memory. New operations are covered as they are registered.
 */

const MIB = 1024 * 1024
/** Largest body of the operations that carry files. */
const LARGEST = 2 * MIB
/** NOTE: the client works in the same thread; `npm run bench -- --only stalls` measures another process. */
const MAX_BUSY_MS = 250
const ATTEMPTS = 5
const MAX_RETAINED_MIB = 300

let server: TestServer
let token: string
/** Bytes that were retained before the first hostile body. */
let before: number
beforeAll(async () => {
  server = await startServer({ tuning: { http: { bodyLimit: LARGEST } } })
  const root = await server.world.admin()
  token = await root.token('all')
  await server.world.repo({ owner: root, name: 'code', autoInit: true })
  await server.world.org('acme', { owner: root })
  before = await retained()
}, 60_000)
afterAll(() => server.close())

/** `unit` as often as fits into the limit, between the ends. */
const upTo = (limit: number, head: string, unit: string, tail: string): string =>
  head + unit.repeat(Math.floor((limit - head.length - tail.length) / unit.length)) + tail

/** The field of an operation that takes the longest text. */
function textField({ body }: Operation): string | undefined {
  const texts = Object.entries(body!.properties).filter(([, schema]) => schema['type'] === 'string')
  return texts.toSorted(([, a], [, b]) => (b['maxLength'] ?? 0) - (a['maxLength'] ?? 0))[0]?.[0]
}

/** The first field with a list. */
const listField = ({ body }: Operation): string | undefined =>
  Object.entries(body!.properties).find(([, schema]) => schema['type'] === 'array')?.[0]

/** An object of as many members as fit. */
const wide = (limit: number): string => {
  const parts: string[] = []
  for (let index = 0, size = 20; size < limit; index++) size += parts[parts.push(`"${index}":0`) - 1]!.length + 1
  return `{${parts.join(',')}}`
}

type Body = readonly [type: string, body: string]

/** Each operation reads them by its own schema. The decoder alone is given more kinds, in src/core/http/body. */
function jsonBodies(operation: Operation, limit: number): Body[] {
  const [text, list] = [textField(operation), listField(operation)].map((name) => name && JSON.stringify(name))
  return [
    ...(text === undefined ? [] : [upTo(limit, `{${text}:"`, 'x', '"}')]),
    ...(list === undefined ? [] : [upTo(limit, `{${list}:[`, '"x",', '"x"]}')]),
  ].map((body) => ['application/json', body])
}

const FORM = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data; boundary=b'

/** Those that the readers of bodies refuse or shorten, mostly before the schema of the operation. */
function commonBodies(operation: Operation, limit: number): Body[] {
  const field = textField(operation) ?? 'x'
  const list = JSON.stringify(listField(operation) ?? 'x')
  const part = `--b\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n`
  return [
    [FORM, upTo(URLENCODED_BYTES, '', `${field}=x&`, '')],
    [FORM, upTo(URLENCODED_BYTES, `${field}=`, 'x', '')],
    [MULTIPART, upTo(limit, '', '--b\r\n\r\n\r\n', '--b--\r\n')],
    [MULTIPART, upTo(limit, part, 'x', '\r\n--b--\r\n')],
    ['application/json', wide(limit)],
    ['application/json', upTo(limit, `{${list}:[`, '1.0,', '1]}')],
  ]
}

/** With the same limit and the same kind of body, operations differ in their schema alone. */
const kindOf = ({ bodyKind, bodyLimit }: Operation): string => `${bodyKind} ${Math.min(bodyLimit, LARGEST)}`

function bodiesOf(operation: Operation): readonly Body[] {
  const limit = Math.min(operation.bodyLimit, LARGEST)
  if (operation.bodyKind === 'text') return [['text/plain', upTo(limit, '', '"', '')]]
  const alike = operationsWithBody().filter((other) => kindOf(other) === kindOf(operation))
  const turn = alike.indexOf(operation)
  const [own, common] = [jsonBodies(operation, limit), commonBodies(operation, limit)]
  if (turn > 0) return [...own, common[turn % common.length]!]
  const unread = ['{"x":', '{"x":['].map((unit): Body => ['application/json', upTo(limit, '', unit, '')])
  return [...own, ...unread, ...common]
}

/** Parameters that lead to something, so that bodies are read. */
const PLACE: Readonly<Record<string, string>> = {
  owner: 'root',
  repo: 'code',
  org: 'acme',
  username: 'root',
  branch: 'main',
  filepath: 'hostile',
  pageName: 'Home',
  id: '1',
}
const placeOf = ({ path }: Operation): string =>
  path.replaceAll(/\{(\w+)[^}]*\}/g, (_, name: string) => PLACE[name] ?? '1')

const AREAS: readonly Area[] = [
  'admin',
  'issue',
  'miscellaneous',
  'notification',
  'organization',
  'package',
  'repository',
  'settings',
  'user',
]

const operationsWithBody = (): Operation[] =>
  server.app.operations.filter(({ body, bodyKind }) => body !== undefined && bodyKind !== 'stream')

it('every operation with a body is of one of the areas', () => {
  expect(operationsWithBody().length).toBeGreaterThan(60)
  expect(operationsWithBody().filter(({ area }) => !AREAS.includes(area))).toEqual([])
})

it.each(AREAS)(
  'hostile bodies are refused or taken, and no other caller waits: %s',
  { ...MEASURED, timeout: 120_000 },
  async (area) => {
    const operations = operationsWithBody().filter((operation) => operation.area === area)
    const wrong: string[] = []
    for (const operation of operations) {
      for (const [index, [type, body]] of bodiesOf(operation).entries()) {
        const what = `${operation.id} ${type} ${index}`
        let busy = Infinity
        // NOTE: the time of the processor, since a machine that is busy otherwise delays the thread too.
        for (let attempt = 0; attempt < ATTEMPTS && busy > MAX_BUSY_MS; attempt++) {
          const begin = process.threadCpuUsage()
          const { status } = await send(operation, type, body)
          const { user, system } = process.threadCpuUsage(begin)
          busy = Math.min(busy, (user + system) / 1000)
          if (status >= 500) wrong.push(`${what}: ${status}`)
        }
        if (busy > MAX_BUSY_MS) wrong.push(`${what}: the thread worked for ${busy} ms`)
      }
    }
    expect(wrong).toEqual([])
    expect(((await retained(before + MAX_RETAINED_MIB * MIB)) - before) / MIB).toBeLessThan(MAX_RETAINED_MIB)
  },
)

/**
 * Bytes of objects and buffers that are reachable, and of buffers that are not: it waits until there are fewer bytes
 * than `wanted` or ten seconds are over. NOTE: a buffer is freed some time after its object.
 */
async function retained(wanted = Infinity): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; ; round++) {
    collect()
    const { heapUsed, external } = process.memoryUsage()
    if (heapUsed + external < wanted || round === 100) return heapUsed + external
    await sleep(100)
  }
}

async function send(operation: Operation, type: string, body: string): Promise<Response> {
  const answer = await fetch(`${server.url}/api/v1${placeOf(operation)}`, {
    method: operation.method,
    headers: { 'content-type': type, authorization: `token ${token}` },
    body,
    redirect: 'manual',
  })
  await answer.arrayBuffer()
  return answer
}
