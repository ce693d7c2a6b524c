import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

let server: TestServer
let ann: Person

beforeAll(async () => {
  server = await startServer({ settings: { 'server.documentation_url': 'https://docs.example.test/' } })
  ann = await server.world.user('ann')
  const { owner } = await server.world.org('crew', { owner: ann, description: 'Those who sail' })
  await server.world.repo({
    owner: ann,
    name: 'boat',
    description: 'It floats',
    autoInit: true,
    defaultBranch: 'main',
  })
  await server.world.repo({ owner: ann, name: 'empty' })
  await server.world.repo({ owner: (await server.app.users.findByName('crew'))!, by: owner, name: 'dock' })
  await commit({ 'README.md': '# Sails\n\nsee [the *hull*](hull/plan.txt)\n', 'hull/plan.txt': 'one\ntwo\n' })
  await commit({ 'hull/deep/er/x': 'x\n', 'old.bin': 'a\0b', 'odd #?%.txt': 'odd\n' }, 'feat/oars')
  await ann.client.post('/repos/ann/boat/tags', { tag_name: 'v1/a', target: 'main', message: 'first voyage' })
  for (const tag of ['v1/a', 'v2'])
    await ann.client.post('/repos/ann/boat/releases', { tag_name: tag, name: `Trip ${tag}`, body: 'some **notes**' })
  await ann.client.post('/repos/ann/boat/wiki/new', { title: 'A-b c', content_base64: btoa('wiki [[Home]]') })
}, 60_000)
afterAll(() => server.close())

async function commit(files: Record<string, string>, newBranch?: string): Promise<void> {
  const { sha } = (await ann.client.get('/repos/ann/boat/contents/README.md')).json
  const answer = await ann.client.post('/repos/ann/boat/contents', {
    branch: 'main',
    ...(newBranch !== undefined && { new_branch: newBranch }),
    message: 'Rig it\n\nwith care',
    files: Object.entries(files).map(([path, text]) => ({
      operation: path === 'README.md' ? 'update' : 'create',
      path,
      content: btoa(text),
      ...(path === 'README.md' && { sha }),
    })),
  })
  expect(answer.status).toBe(201)
}

async function open(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(path.startsWith('http') ? path : server.url + path, { headers, redirect: 'manual' })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** Every `html_url` in a value, at any depth. */
function htmlUrls(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(htmlUrls)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'html_url' && typeof inner === 'string' ? [inner] : htmlUrls(inner),
  )
}

describe('pages', () => {
  it('describe the server at /, with the public repositories', async () => {
    const { status, text } = await open('/')
    const { version } = (await server.anonymous.get('/version')).json
    expect(status).toBe(200)
    for (const part of [
      version,
      '<a href="/api/swagger">',
      '<a href="https://docs.example.test/">',
      '<a href="/user/login?redirect_to=%2F">',
      '<a href="/ann/boat">ann/boat</a>',
      'It floats',
    ])
      expect(text).toContain(part)
  })

  it('are at every html_url of the API', async () => {
    const urls = new Set<string>()
    for (const path of [
      '/users/ann',
      '/users/crew',
      '/repos/search',
      '/repos/ann/empty',
      '/repos/ann/boat',
      '/repos/ann/boat/contents',
      '/repos/ann/boat/contents/hull?ref=feat/oars',
      '/repos/ann/boat/contents?ref=feat/oars',
      '/repos/ann/boat/contents?ref=v1/a',
      `/repos/ann/boat/contents/README.md?ref=${(await ann.client.get('/repos/ann/boat/commits')).json[0].sha}`,
      '/repos/ann/boat/commits',
      '/repos/ann/boat/releases',
      '/repos/ann/boat/wiki/pages',
    ])
      for (const url of htmlUrls((await ann.client.get(path)).json)) urls.add(url)
    expect(urls.size).toBeGreaterThan(15)
    for (const url of urls) {
      expect([url, (await open(url)).status]).toEqual([url, 200])
      expect([url, (await fetch(url, { method: 'HEAD' })).status]).toEqual([url, 200])
    }
  })

  it('link only to addresses that exist', async () => {
    const [seen, left] = [new Set<string>(), ['/', '/crew', '/ann/boat']]
    while (left.length > 0) {
      const path = left.pop()!
      if (seen.has(path)) continue
      seen.add(path)
      const { status, text, headers } = await open(path)
      expect([path, status]).toEqual([path, path.startsWith('/user/applications') ? 303 : 200])
      if (!headers.get('content-type')?.startsWith('text/html') || path.startsWith('/api/')) continue
      for (const [, href] of text.matchAll(/ href="(?:http:\/\/127[^/]*)?(\/[^"]*|\?[^"]*)"/g))
        left.push(href!.startsWith('?') ? path.split('?', 1)[0] + href! : href!.replaceAll('&amp;', '&'))
    }
    for (const path of ['/ann/boat/src/branch/feat/oars/hull/deep/er/x', '/ann/boat/archive/v1/a.zip', '/ann/empty'])
      expect([...seen]).toContain(path)
  })

  it('show the existing parts of a repository', async () => {
    const { text } = await open('/ann/boat')
    for (const part of [
      'It floats',
      `git clone ${server.url}/ann/boat.git`,
      `git clone ${server.app.site.sshPrefix()}ann/boat.git`,
      '<a href="/ann/boat/src/branch/main">main</a>',
      '<a href="/ann/boat/src/branch/feat/oars">feat/oars</a>',
      '<a href="/ann/boat/src/branch/main/hull">hull/</a>',
      `<a href="${server.url}/ann/boat/src/branch/main/hull/plan.txt" rel="nofollow">the <em>hull</em></a>`,
    ])
      expect(text).toContain(part)
    expect((await open('/ann/empty')).text).toContain('Nothing was pushed yet.')
  })

  it('show files, directories, commits, releases and wiki pages', async () => {
    expect((await open('/ann/boat/src/branch/main/hull/plan.txt')).text).toContain(
      '<pre tabindex="0"><span id="L1">one\n</span><span id="L2">two\n</span></pre>',
    )
    expect((await open('/ann/boat/src/branch/feat/oars/old.bin')).text).toContain('binary or too large')
    expect((await open('/ann/boat/src/branch/feat/oars/odd%20%23%3F%25.txt')).text).toContain('>odd\n')
    const log = await open('/ann/boat/commits/branch/feat/oars')
    const [, id] = /href="\/ann\/boat\/commit\/([0-9a-f]{40})">Rig it</.exec(log.text)!
    const { text } = await open(`/ann/boat/commit/${id}`)
    for (const part of ['Rig it\n\nwith care', 'Author ann', '3 files', 'hull/deep/er/x</a> <small>added, +1 -0'])
      expect(text).toContain(part)
    expect((await open('/ann/boat/releases')).text).toMatch(/Trip v2[\s\S]*some <strong>notes[\s\S]*Trip v1\/a/)
    expect((await open('/ann/boat/releases/tag/v1/a')).text).toContain('href="/ann/boat/archive/v1/a.tar.gz"')
    expect((await open('/ann/boat/tags')).text).toContain('first voyage')
    expect((await open('/ann/boat/branches')).text).toContain('feat/oars')
    expect((await open('/ann/boat/wiki/A-b+c.-')).text).toMatch(/<article><p[^>]*>wiki <a /)
    expect((await open('/crew')).text).toMatch(/Organization[\s\S]*Those who sail[\s\S]*crew\/dock/)
  })

  it('page long lists', async () => {
    for (let count = 0; count < 31; count++) await server.world.repo({ owner: ann, name: `many-${count}` })
    const first = await open('/ann')
    expect(first.text).toContain('<a rel="next" href="?page=2">')
    const second = await open('/ann?page=2')
    expect(second.text).toContain('<a rel="prev" href="?page=1">')
    expect(second.text).toContain('ann/boat')
    expect((await open('/ann?page=99999999')).status).toBe(200)
    for (let count = 0; count < 29; count++) await commit({ [`log/${count}`]: 'x' })
    const commits = async (page: number) => (await open(`/ann/boat/commits/branch/main?page=${page}`)).text
    expect((await commits(1)).match(/<li>/g)).toHaveLength(30)
    expect(await commits(1)).toContain('<a rel="next" href="?page=2">')
    expect((await commits(2)).match(/<li>/g)).toHaveLength(1)
    expect(await commits(2)).not.toContain('rel="next"')
    expect((await open('/ann/boat/commits/branch/main/log/7')).text.match(/<li>/g)).toHaveLength(1)
    expect((await open('/ann/boat/commits/branch/main/log/none')).status).toBe(404)
  })

  it('are sent again only after changes', async () => {
    const path = '/ann/boat/branches'
    const etag = (await open(path)).headers.get('etag')!
    const same = await open(path, { 'if-none-match': etag })
    expect([same.status, same.text]).toEqual([304, ''])
    await ann.client.post('/repos/ann/boat/branches', { new_branch_name: 'third' })
    expect((await open(path, { 'if-none-match': etag })).status).toBe(200)
  })

  it('do not cover other addresses', async () => {
    const plain = 'text/plain;charset=utf-8'
    for (const [path, status, type] of [
      ['/api/nothing', 404, 'application/json;charset=utf-8'],
      ['/api/v1/nothing/at/all', 404, 'application/json;charset=utf-8'],
      ['/swagger/x/y', 404, plain],
      ['/login', 404, plain],
      ['/ann/boat/nothing', 404, plain],
      ['/ann.keys', 200, 'text/plain; charset=utf-8'],
      ['/ann/boat/raw/branch/main/README.md', 200, 'text/plain; charset=utf-8'],
      ['/ann/boat/info/refs?service=git-upload-pack', 200, 'application/x-git-upload-pack-advertisement'],
      ['/ann/boat/src/branch/nothing', 404, 'text/html; charset=utf-8'],
      ['/ann/boat/commit/zzz', 404, 'text/html; charset=utf-8'],
    ] as const) {
      const answer = await open(path)
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, status, type])
    }
    const [, id] = /commit\/([0-9a-f]{40})/.exec((await open('/ann/boat/commits/branch/main')).text)!
    expect((await open(`/ann/boat/commit/${id}.diff`)).text).toContain('diff --git')
  })
})
