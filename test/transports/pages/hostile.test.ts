import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'
import { codeRepo, oracle } from '../../code/code-world.ts'

/** Texts that users control, each with a mark of its own. */
const hostile = (mark: string): string => `${mark}"'><script>${mark}</script><img src=x onerror=${mark}>&amp;`

let server: TestServer
let ann: Person
const path = '/ann/bad'
const branch = `b"'><script>branch`
const file = `f"'><script>file & # ? %41`
let commit: string

beforeAll(async () => {
  server = await startServer()
  ann = await server.world.user('ann')
  const profile = {
    full_name: hostile('fullname'),
    description: hostile('description'),
    location: `"'><script>location`,
  }
  expect((await ann.client.patch('/user/settings', profile)).status).toBe(200)
  const code = await codeRepo(server, ann, { name: 'bad', history: history() })
  oracle(code.git.path, ['update-ref', `refs/heads/${branch}`, 'main'])
  commit = code.oid('main')
  await ann.client.patch('/repos/ann/bad', { description: hostile('about'), website: 'javascript:alert(1)' })
  const created = await ann.client.post('/repos/ann/bad/releases', {
    tag_name: 't<i>ag',
    target_commitish: 'main',
    name: hostile('title'),
    body: `${hostile('notes')}\n\n[x](javascript:alert(1))`,
  })
  expect(created.status).toBe(201)
  const page = { title: `<script>w`, content_base64: btoa(hostile('wiki')) }
  expect((await ann.client.post('/repos/ann/bad/wiki/new', page)).status).toBe(201)
}, 60_000)
afterAll(() => server.close())

function history(): string {
  const readme = `${hostile('readme')}\n\n<style>x</style><form action=x><input name=y></form><iframe src=x></iframe>\n`
  const text = `${hostile('text')}\n`
  const message = hostile('message')
  const data = (value: string): string => `data ${Buffer.byteLength(value)}\n${value}\n`
  const quoted = JSON.stringify(file)
  return `blob
mark :1
${data(readme)}blob
mark :2
${data(text)}commit refs/heads/main
author ${hostile('author').replaceAll(/[<>]/g, '')} <a@b.test> 1700000000 +0000
committer x <c@d.test> 1700000000 +0000
${data(message)}M 100644 :1 README.md
M 100644 :2 ${quoted}

`
}

const escapePart = (text: string): string => encodeURIComponent(text)

it('text of users is escaped on every page', async () => {
  const pages = {
    '/': ['about'],
    '/ann': ['fullname', 'description', 'location', 'about'],
    [path]: ['about', 'branch', 'file'],
    [`${path}/src/branch/main/${escapePart(file)}`]: ['file', 'text'],
    [`${path}/src/branch/${escapePart(branch)}`]: ['branch', 'file'],
    [`${path}/commits/branch/${escapePart(branch)}`]: ['branch', 'message', 'author'],
    [`${path}/commit/${commit}`]: ['message', 'author', 'file'],
    [`${path}/branches`]: ['branch', 'message'],
    [`${path}/tags`]: ['t&lt;i&gt;ag'],
    [`${path}/releases`]: ['title', 'notes'],
    [`${path}/releases/tag/${escapePart('t<i>ag')}`]: ['title', 'notes'],
    [`${path}/wiki/${escapePart('<script>w')}`]: ['wiki'],
    [`${path}/src/branch/${escapePart('"><script>missing')}`]: [],
    [`/${escapePart('"><script>nobody')}`]: [],
  }
  for (const [address, marks] of Object.entries(pages)) {
    const answer = await fetch(server.url + address)
    const text = await answer.text()
    expect([address, answer.status]).toEqual([address, marks.length === 0 ? 404 : 200])
    for (const mark of marks) expect([address, text]).toEqual([address, expect.stringContaining(mark)])
    const elements = [...text.replaceAll(/<style>[^<]*/g, '').matchAll(/<[^>]*>/g)].map(([element]) => element)
    const active = elements.filter((element) =>
      /^<(?:script|iframe|form|object|embed|base)|\son\w+\s*=|javascript:/i.test(element),
    )
    expect([address, active]).toEqual([address, []])
    expect(text.match(/<style>/g)?.length ?? 0).toBeLessThanOrEqual(1)
  }
})

it('every page and every refusal has the policy that forbids scripts', async () => {
  for (const address of ['/', '/ann', path, `${path}/src/branch/main/README.md`, `${path}/branches`, '/nobody']) {
    const answer = await fetch(server.url + address)
    const [, style] = /<style>([\s\S]*?)<\/style>/.exec(await answer.text())!
    const hash = createHash('sha256').update(style!).digest('base64')
    expect(answer.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self' https:; media-src 'self' https:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`,
    )
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'cache-control': 'private, no-cache',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      vary: 'Authorization, Cookie',
    })
  }
})

it('large files, wide directories and READMEs that cannot be rendered have pages of limited size', async () => {
  const wide = Array.from({ length: 1500 }, (_, n) => `M 100644 :1 wide/${n}\n`).join('')
  const large = 'x'.repeat(600 * 1024)
  const readme = '<b>\n'.repeat(50_000)
  const lines = '\n'.repeat(100_000)
  const message = `first ${'<'.repeat(200_000)}`
  const stream = `blob
mark :1
data 1
x
blob
mark :2
data ${large.length}
${large}
blob
mark :3
data ${readme.length}
${readme}
blob
mark :4
data ${lines.length}
${lines}
commit refs/heads/main
committer x <c@d.test> 1700000000 +0000
data ${message.length}
${message}
M 100644 :4 lines.txt
M 100644 :2 large.txt
M 100644 :3 README.txt
${wide}
`
  const big = await codeRepo(server, ann, { name: 'big', history: stream })
  const get = async (address: string): Promise<string> => (await fetch(server.url + address)).text()
  expect(await get('/ann/big/src/branch/main/large.txt')).toMatch(/binary or too large/)
  const first = await get('/ann/big/src/branch/main/wide')
  expect([first.match(/<li>/g)?.length, first.includes('href="?page=2"')]).toEqual([1000, true])
  expect((await get('/ann/big/src/branch/main/wide?page=2')).match(/<li>/g)?.length).toBe(500)
  const numbered = await get('/ann/big/src/branch/main/lines.txt')
  expect([numbered.includes('id="L20000"'), numbered.includes('id="L20001"')]).toEqual([true, false])
  expect(numbered.length).toBeLessThan(1_000_000)
  const commitPage = await get(`/ann/big/commit/${big.oid('main')}`)
  expect([commitPage.includes('&lt; …</pre>'), commitPage.length < message.length * 4]).toEqual([true, true])
  expect((await get('/ann/big/commits/branch/main')).length).toBeLessThan(4000)
  expect(await get('/ann/big')).toContain('<article><pre class="log">&lt;b&gt;\n')
})

it('visitors without credentials get unrendered texts when they exceed their computing budget', async () => {
  const limits = { 'rate_limit.anonymous_per_minute': '1' }
  const limited = await startServer({ settings: limits })
  try {
    const bob = await limited.world.user('bob')
    for (const name of ['one', 'two']) await limited.world.repo({ owner: bob, name, autoInit: true })
    const readme = async (name: string, headers: Record<string, string> = {}) =>
      /<article>\s*<(\w+)/.exec(await (await fetch(`${limited.url}/bob/${name}`, { headers })).text())?.[1]
    expect([await readme('one'), await readme('two'), await readme('one')]).toEqual(['h1', 'pre', 'h1'])
    expect(await readme('two', { authorization: `token ${await bob.token('read:repository')}` })).toBe('h1')
    expect(await readme('two')).toBe('h1')
  } finally {
    await limited.close()
  }
})
