import { readdirSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { addLarge, downloadLarge } from '../../lfs/large-file.ts'
import { startUpstream, type Upstream } from './upstream.ts'

let target: TestServer
let tom: Person

beforeAll(async () => {
  target = await startServer({ settings: { 'release.file_max_size': '1' } })
  tom = await target.world.user('tom')
})
afterAll(() => target.close())

const migrate = (body: object) => tom.client.post('/repos/migrate', body)
const releasesOf = async (name: string) => (await tom.client.get(`/repos/tom/${name}/releases`)).json
const bytesOf = async (url: string): Promise<string> => {
  const answer = await fetch(url, {
    headers: { authorization: `Basic ${Buffer.from(`tom:${PASSWORD}`).toString('base64')}` },
  })
  return answer.status === 200 ? answer.text() : String(answer.status)
}
const storedFiles = (): string[] =>
  readdirSync(join(target.dataDir, 'blobs', 'attachments'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

describe('imports from servers that speak the API of Gitea and Forgejo', () => {
  let source: TestServer
  let sue: Person

  beforeAll(async () => {
    source = await startServer()
    sue = await source.world.user('sue')
  })
  afterAll(() => source.close())

  async function createSource(name: string): Promise<void> {
    await source.world.repo({ owner: sue, name, isPrivate: true, autoInit: true, description: 'Of the source' })
    expect((await sue.client.patch(`/repos/sue/${name}`, { website: 'https://example.org/' })).status).toBe(200)
    expect((await sue.client.put(`/repos/sue/${name}/topics`, { topics: ['git', 'forge'] })).status).toBe(204)
  }

  async function release(
    repo: string,
    body: object,
    files: Readonly<Record<string, string | number>> = {},
  ): Promise<number> {
    const made = await sue.client.post(`/repos/sue/${repo}/releases`, body)
    expect(made.status).toBe(201)
    for (const [name, content] of Object.entries(files)) {
      const bytes = typeof content === 'number' ? Buffer.alloc(content) : content
      const form = new FormData()
      form.set('attachment', new Blob([bytes]), name)
      const answer = await fetch(`${source.url}/api/v1/repos/sue/${repo}/releases/${made.json.id}/assets`, {
        method: 'POST',
        body: form,
        headers: { authorization: `Basic ${Buffer.from(`sue:${PASSWORD}`).toString('base64')}` },
      })
      expect(answer.status).toBe(201)
    }
    return made.json.id as number
  }

  const from = (name: string, options: object = {}) =>
    migrate({
      clone_addr: `${source.url}/sue/${name}.git`,
      repo_name: name,
      service: 'gitea',
      auth_username: 'sue',
      auth_password: PASSWORD,
      ...options,
    })

  it('bring releases with files, facts, wiki and large files, by an access token', async () => {
    await createSource('full')
    const large = await addLarge(source, sue, 'full/large.bin')
    expect((await sue.client.post('/repos/sue/full/wiki/new', { title: 'Home', content_base64: 'aGk=' })).status).toBe(
      201,
    )
    await release('full', { tag_name: 'v1', name: 'One', body: 'first' }, { 'notes.txt': 'hello', 'data.bin': 'bytes' })
    await release('full', { tag_name: 'v2', name: 'Two', prerelease: true })
    const third = await release('full', { tag_name: 'v3', name: 'Three', draft: true })
    const external = new FormData()
    external.set('external_url', 'https://example.org/file.zip')
    external.set('name', 'file.zip')
    expect(
      (
        await fetch(`${source.url}/api/v1/repos/sue/full/releases/${third}/assets`, {
          method: 'POST',
          body: external,
          headers: { authorization: `Basic ${Buffer.from(`sue:${PASSWORD}`).toString('base64')}` },
        })
      ).status,
    ).toBe(201)
    await source.app.database.transaction((tx) =>
      tx.updateTable('release').set({ created_at: 1_600_000_000_000 }).where('tag_name', '=', 'v1').execute(),
    )
    const token = await sue.token('read:repository', 'write:repository')
    const made = await from('full', {
      auth_username: '',
      auth_password: '',
      auth_token: token,
      service: 'forgejo',
      releases: true,
      wiki: true,
      lfs: true,
    })
    expect(made.json).toMatchObject({
      description: 'Of the source',
      website: 'https://example.org/',
      topics: ['forge', 'git'],
      release_counter: 2,
    })
    expect(made.headers.get('x-ingot-warning')).toBeNull()
    const releases = await releasesOf('full')
    expect(
      releases.map((each: { tag_name: string; draft: boolean; prerelease: boolean; name: string }) => [
        each.tag_name,
        each.name,
        each.draft,
        each.prerelease,
      ]),
    ).toEqual([
      ['v3', 'Three', true, false],
      ['v2', 'Two', false, true],
      ['v1', 'One', false, false],
    ])
    expect(releases[2]).toMatchObject({ body: 'first', created_at: '2020-09-13T12:26:40Z', author: { login: 'tom' } })
    expect(releases[0].assets).toMatchObject([
      { name: 'file.zip', type: 'external', browser_download_url: 'https://example.org/file.zip' },
    ])
    const [data, notes] = releases[2].assets
    expect([data.name, data.size, notes.name, await bytesOf(notes.browser_download_url)]).toEqual([
      'data.bin',
      5,
      'notes.txt',
      'hello',
    ])
    expect((await tom.client.get('/repos/tom/full/wiki/page/Home')).status).toBe(200)
    expect((await downloadLarge(target, tom, 'full', large)).bytes.equals(large.bytes)).toBe(true)
    await target.app.attachments.sweep(new AbortController().signal)
    expect(await bytesOf(notes.browser_download_url)).toBe('hello')
  })

  it('bring labels with everything they say', async () => {
    await createSource('labelled')
    for (const label of [
      { name: 'kind/bug', color: '#ff0000', description: 'Broken', exclusive: true },
      { name: 'old', color: '0f0', is_archived: true },
    ])
      expect((await sue.client.post('/repos/sue/labelled/labels', label)).status).toBe(201)
    expect((await from('labelled', { labels: true })).status).toBe(201)
    expect((await tom.client.get('/repos/tom/labelled/labels')).json).toMatchObject([
      { name: 'kind/bug', color: 'ff0000', description: 'Broken', exclusive: true, is_archived: false },
      { name: 'old', color: '00ff00', exclusive: false, is_archived: true },
    ])
    expect((await from('labelled', { repo_name: 'unlabelled' })).status).toBe(201)
    expect((await tom.client.get('/repos/tom/unlabelled/labels')).json).toEqual([])
  })

  it('keep what the import says itself, and bring releases only when asked', async () => {
    await createSource('own')
    await release('own', { tag_name: 'v1' })
    expect((await from('own', { description: 'Of the import' })).json).toMatchObject({
      description: 'Of the import',
      website: 'https://example.org/',
      release_counter: 0,
    })
    expect(await releasesOf('own')).toEqual([])
  })

  it('take from a mirror git data and wiki alone', async () => {
    await createSource('mirrored')
    await release('mirrored', { tag_name: 'v1' })
    const made = await from('mirrored', { mirror: true, releases: true, issues: true })
    expect(made.json).toMatchObject({ description: '', topics: [], release_counter: 0 })
    expect(made.headers.get('x-ingot-warning')).toBeNull()
  })

  it('read every page, whatever size the other server allows', async () => {
    await createSource('many')
    const { id } = (await sue.client.get('/repos/sue/many')).json
    await source.app.database.transaction(async (tx) => {
      for (let n = 0; n < 120; n++)
        await tx
          .insertInto('release')
          .values({
            repo_id: id,
            publisher_id: sue.user.id,
            tag_name: `d${n}`,
            lower_tag_name: `d${n}`,
            target: '',
            title: '',
            body: '',
            is_draft: 1,
            created_at: n + 1,
            updated_at: n + 1,
          })
          .execute()
    })
    expect((await from('many', { releases: true })).status).toBe(201)
    expect((await tom.client.get('/repos/tom/many/releases?limit=1')).headers.get('x-total-count')).toBe('120')
  })

  it('find the files of a server that calls itself by another name', async () => {
    const renamed = await startServer({ settings: { 'server.root_url': 'http://git.example.test:1' } })
    try {
      const una = await renamed.world.user('una')
      await renamed.world.repo({ owner: una, name: 'app', isPrivate: true, autoInit: true })
      const { id } = (await una.client.post('/repos/una/app/releases', { tag_name: 'v1' })).json
      const headers = {
        authorization: `Basic ${Buffer.from(`una:${PASSWORD}`).toString('base64')}`,
        'content-type': 'application/octet-stream',
      }
      expect(
        (
          await fetch(`${renamed.url}/api/v1/repos/una/app/releases/${id}/assets?name=a.txt`, {
            method: 'POST',
            headers,
            body: 'found',
          })
        ).status,
      ).toBe(201)
      expect((await una.client.get(`/repos/una/app/releases/${id}`)).json.assets[0].browser_download_url).toContain(
        'http://git.example.test:1/',
      )
      expect(
        (
          await migrate({
            clone_addr: `${renamed.url}/una/app.git`,
            repo_name: 'renamed',
            service: 'gitea',
            auth_username: 'una',
            auth_password: PASSWORD,
            releases: true,
          })
        ).status,
      ).toBe(201)
      expect(await bytesOf((await releasesOf('renamed'))[0].assets[0].browser_download_url)).toBe('found')
    } finally {
      await renamed.close()
    }
  })

  it('leave out with a warning what this server does not allow', async () => {
    await createSource('warned')
    await release('warned', { tag_name: 'v1' }, { 'large.bin': 2 * 1024 * 1024, 'small.bin': 'x' })
    await sue.client.delete('/repos/sue/warned/tags/v1')
    const made = await from('warned', { releases: true, issues: true, pull_requests: true })
    expect(made.status).toBe(201)
    expect(made.headers.get('x-ingot-warning')).toBe(
      'not imported, because this server cannot import them from gitea: issues, pull requests; the file "large.bin" of the release v1 was not imported: the upload is larger than 1048576 bytes',
    )
    expect((await releasesOf('warned'))[0].assets.map(({ name }: { name: string }) => name)).toEqual(['small.bin'])
  })

  it('fail when a file cannot be had, and leave nothing behind', async () => {
    await createSource('torn')
    await release('torn', { tag_name: 'v1' }, { 'a.txt': 'kept nowhere' })
    await release('torn', { tag_name: 'v0' }, { 'b.txt': 'lost' })
    const row = await source.app.database.read
      .selectFrom('attachment')
      .select('hash')
      .where('name', '=', 'b.txt')
      .executeTakeFirstOrThrow()
    await source.app.attachmentBlobs.delete(row.hash)
    const before = storedFiles()
    const answer = await from('torn', { releases: true })
    expect(answer.status).toBe(422)
    expect(answer.json.message).toMatch(
      /^(Authentication|Migration) failed: the API of the other server answered with status/,
    )
    expect((await tom.client.get('/repos/tom/torn')).status).toBe(404)
    expect(storedFiles()).toEqual(before)
  })

  it('say when the API does not let them in, and do without what nobody asked for', async () => {
    await createSource('closed')
    const token = await sue.token('read:repository')
    await source.app.database.transaction((tx) =>
      tx.updateTable('repo').set({ is_private: 0 }).where('name', '=', 'closed').execute(),
    )
    const wrong = { auth_username: '', auth_password: '', auth_token: `${token.slice(0, -1)}0` }
    expect((await from('closed', { ...wrong, releases: true })).json.message).toMatch(/^Authentication failed: /)
  })
})

describe('imports from services that are told by their documentation', () => {
  let upstream: Upstream
  const answers =
    (value: unknown, headers: Record<string, string> = {}) =>
    (_: IncomingMessage, response: ServerResponse): void =>
      void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))

  beforeAll(async () => {
    upstream = await startUpstream()
    await upstream.create('group/sub/app')
    await upstream.run('group/sub/app', 'tag', 'v1')
    await upstream.push('group/sub/app')
    await upstream.create('octo/app')
    await upstream.run('octo/app', 'tag', 'v1')
    await upstream.push('octo/app')
  })
  afterAll(() => upstream.close())
  afterEach(() => {
    upstream.routes.clear()
    upstream.credentials.clear()
  })

  it('read GitHub, and take no credentials to its store of files', async () => {
    const elsewhere = upstream.url.replace('127.0.0.1', 'localhost')
    const base = 'GET /api/v3/repos/octo/app'
    const asset = (id: number, state = 'uploaded') => ({
      id,
      name: `file${id}.txt`,
      state,
      size: 4,
      download_count: 7,
      created_at: '2020-01-02T03:04:05Z',
      url: `${upstream.url}/api/v3/repos/octo/app/releases/assets/${id}`,
      browser_download_url: `${upstream.url}/octo/app/releases/download/v1/file${id}.txt`,
    })
    const release = {
      tag_name: 'v1',
      target_commitish: 'main',
      name: 'One',
      body: 'text\u0000',
      draft: false,
      prerelease: false,
      created_at: '2019-01-01T00:00:00Z',
      published_at: '2020-01-01T00:00:00Z',
      assets: [asset(1), asset(2, 'starter')],
    }
    upstream.routes.set(
      base,
      answers({ description: null, homepage: 'https://octo.example', topics: ['one', 'Not Valid!'] }),
    )
    upstream.routes.set(
      `${base}/releases?page=1&per_page=100`,
      answers([release], { link: `<${upstream.url}/api/v3/x?page=2>; rel="next"` }),
    )
    upstream.routes.set(
      `${base}/releases?page=2&per_page=100`,
      answers([{ tag_name: 'gone', name: '', draft: false }, { tag_name: 'bad name' }, { tag_name: 'V1' }], {
        link: `<${upstream.url}/api/v3/x?page=1>; rel="prev"`,
      }),
    )
    upstream.routes.set(`${base}/releases/assets/1`, (request, response) => {
      expect(request.headers).toMatchObject({ accept: 'application/octet-stream', authorization: 'token t0ken' })
      response.writeHead(302, { location: `${elsewhere}/store/1` }).end()
    })
    upstream.routes.set('GET /store/1', (request, response) => {
      expect(request.headers.authorization).toBeUndefined()
      response.end('file')
    })
    upstream.routes.set(
      `${base}/labels?page=1&per_page=100`,
      answers(
        [{ id: 1, name: 'bug', color: 'F29513', description: null }, { name: '  ' }, { name: 'odd', color: 'red' }],
        { link: '<x>; rel="first"' },
      ),
    )
    const made = await migrate({
      clone_addr: `${upstream.url}/octo/app.git`,
      repo_name: 'octo-app',
      service: 'github',
      auth_token: 't0ken',
      releases: true,
      labels: true,
    })
    expect(made.json).toMatchObject({
      description: '',
      website: 'https://octo.example',
      topics: ['one'],
      release_counter: 1,
    })
    expect((await tom.client.get('/repos/tom/octo-app/labels')).json).toMatchObject([
      { name: 'bug', color: 'f29513', description: '' },
      { name: 'odd', color: 'cccccc' },
    ])
    expect(made.headers.get('x-ingot-warning')).toBe(
      'a label without a name was not imported; a release was not imported: "bad name" is no name of a tag; a release was not imported: there is another one with the tag V1',
    )
    const releases = await releasesOf('octo-app')
    expect(releases.find(({ tag_name }: { tag_name: string }) => tag_name === 'gone')).toMatchObject({ draft: true })
    const [first] = releases.filter(({ tag_name }: { tag_name: string }) => tag_name === 'v1')
    expect(first).toMatchObject({
      name: 'One',
      body: 'text',
      draft: false,
      created_at: '2020-01-01T00:00:00Z',
      assets: [{ name: 'file1.txt', size: 4, download_count: 7 }],
    })
    expect(await bytesOf(first.assets[0].browser_download_url)).toBe('file')
  })

  it('read GitLab, whose files are links', async () => {
    const base = 'GET /api/v4/projects/group%2Fsub%2Fapp'
    const links = [
      {
        id: 1,
        name: 'package',
        url: 'https://files.example/p.zip',
        direct_asset_url: 'https://gitlab.example/group/sub/app/-/releases/v1/downloads/p.zip',
        link_type: 'other',
      },
      { name: 'bad', url: 'javascript:x' },
    ]
    upstream.routes.set(base, (request, response) => {
      expect(request.headers['private-token']).toBe('t0ken')
      answers({ description: 'Lab', topics: ['lab'] })(request, response)
    })
    upstream.routes.set(
      `${base}/releases?page=1&per_page=100`,
      answers(
        [
          {
            tag_name: 'v1',
            name: 'One',
            description: 'text',
            released_at: '2020-01-01T00:00:00.000Z',
            upcoming_release: false,
            assets: { count: 5, sources: [{ format: 'zip', url: 'https://gitlab.example/x.zip' }], links },
          },
        ],
        { 'x-total': '1' },
      ),
    )
    const made = await migrate({
      clone_addr: `${upstream.url}/group/sub/app.git`,
      repo_name: 'lab-app',
      service: 'gitlab',
      auth_token: 't0ken',
      releases: true,
    })
    expect(made.json).toMatchObject({ description: 'Lab', topics: ['lab'], release_counter: 1 })
    expect((await releasesOf('lab-app'))[0]).toMatchObject({
      name: 'One',
      body: 'text',
      assets: [{ name: 'package', type: 'external', browser_download_url: links[0]!.direct_asset_url }],
    })
  })

  it('do not follow an API to where they may not go', async () => {
    const strict = await startServer({ settings: { 'migrations.allowed_hosts': '127.0.0.1' } })
    try {
      const eve = await strict.world.user('eve')
      const path = 'GET /api/v3/repos/octo/app/releases'
      for (const to of ['http://127.0.0.2:1/x', 'file:///etc/passwd']) {
        upstream.routes.set(
          `${path}?page=1&per_page=100`,
          (_, response) => void response.writeHead(302, { location: to }).end(),
        )
        expect(
          (
            await eve.client.post('/repos/migrate', {
              clone_addr: `${upstream.url}/octo/app.git`,
              repo_name: 'x',
              service: 'github',
              releases: true,
            })
          ).status,
        ).toBe(422)
      }
      upstream.routes.set(
        `${path}?page=1&per_page=100`,
        answers([{ tag_name: 'v1', assets: [{ name: 'a', url: 'http://127.0.0.2:1/a' }] }], {
          link: '<x>; rel="prev"',
        }),
      )
      expect(
        (
          await eve.client.post('/repos/migrate', {
            clone_addr: `${upstream.url}/octo/app.git`,
            repo_name: 'x',
            service: 'github',
            releases: true,
          })
        ).json.message,
      ).toBe('You can not import from disallowed hosts.')
    } finally {
      await strict.close()
    }
  })

  it('tell of limits, one-time passwords and answers that are none', async () => {
    const path = 'GET /api/v3/repos/octo/app/releases?page=1&per_page=100'
    const cases: [(request: IncomingMessage, response: ServerResponse) => void, string][] = [
      [
        (_, response) => void response.writeHead(403, { 'x-ratelimit-remaining': '0' }).end('{}'),
        'Remote visit addressed rate limitation.',
      ],
      [
        (_, response) => void response.writeHead(401, { 'x-github-otp': 'required; app' }).end('{}'),
        'Remote visit required two factors authentication.',
      ],
      [
        (_, response) => void response.writeHead(500).end(),
        'Migration failed: the API of the other server answered with status 500.',
      ],
      [(_, response) => void response.end('<html>'), 'Migration failed: the other server did not answer with JSON.'],
    ]
    for (const [answer, message] of cases) {
      upstream.routes.set(path, answer)
      const failed = await migrate({
        clone_addr: `${upstream.url}/octo/app.git`,
        repo_name: 'failing',
        service: 'github',
        releases: true,
      })
      expect(failed.status).toBe(422)
      expect(failed.json.message).toBe(message)
    }
    expect((await tom.client.get('/repos/tom/failing')).status).toBe(404)
    const without = await migrate({
      clone_addr: `${upstream.url}/octo/app.git`,
      repo_name: 'failing',
      service: 'github',
    })
    expect([without.status, without.headers.get('x-ingot-warning')]).toEqual([
      201,
      'description, website and topics were not imported: the API of the other server answered with status 404',
    ])
  })
})
