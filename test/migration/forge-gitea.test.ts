import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { altered } from '../harness/altered.ts'
import { row } from '../harness/expect.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { PASSWORD, type Person } from '../harness/world.ts'
import { addLarge, downloadLarge } from '../code/lfs/large-file.ts'
import { basicAuth, bytesOf, forgeWorld, releasesOf } from './forge-world.ts'
import { migrate } from './import-world.ts'

describe('imports from Gitea and Forgejo', () => {
  const given = forgeWorld()
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
        headers: { authorization: basicAuth(sue) },
      })
      expect(answer.status).toBe(201)
    }
    return made.json.id as number
  }

  const from = (name: string, options: object = {}) =>
    migrate(given.tom, {
      clone_addr: `${source.url}/sue/${name}.git`,
      repo_name: name,
      service: 'gitea',
      auth_username: 'sue',
      auth_password: PASSWORD,
      ...options,
    })

  it('have releases with files, description, topics, wiki and large files', async () => {
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
          headers: { authorization: basicAuth(sue) },
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
    const releases = await releasesOf(given.tom, 'full')
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
    expect([data.name, data.size, notes.name, await bytesOf(given.tom, notes.browser_download_url)]).toEqual([
      'data.bin',
      5,
      'notes.txt',
      'hello',
    ])
    expect((await given.tom.client.get('/repos/tom/full/wiki/page/Home')).status).toBe(200)
    expect((await downloadLarge(given.target, given.tom, 'full', large)).bytes.equals(large.bytes)).toBe(true)
    await given.target.app.attachments.sweep(new AbortController().signal)
    expect(await bytesOf(given.tom, notes.browser_download_url)).toBe('hello')
  })

  it('have labels with all their members, on request', async () => {
    await createSource('labelled')
    for (const label of [
      { name: 'kind/bug', color: '#ff0000', description: 'Broken', exclusive: true },
      { name: 'old', color: '0f0', is_archived: true },
    ])
      expect((await sue.client.post('/repos/sue/labelled/labels', label)).status).toBe(201)
    expect((await from('labelled', { labels: true })).status).toBe(201)
    expect((await given.tom.client.get('/repos/tom/labelled/labels')).json).toMatchObject([
      { name: 'kind/bug', color: 'ff0000', description: 'Broken', exclusive: true, is_archived: false },
      { name: 'old', color: '00ff00', exclusive: false, is_archived: true },
    ])
    expect((await from('labelled', { repo_name: 'unlabelled' })).status).toBe(201)
    expect((await given.tom.client.get('/repos/tom/unlabelled/labels')).json).toEqual([])
  })

  it('prefer the description of the request, and have releases only on request', async () => {
    await createSource('own')
    await release('own', { tag_name: 'v1' })
    expect((await from('own', { description: 'Of the import' })).json).toMatchObject({
      description: 'Of the import',
      website: 'https://example.org/',
      release_counter: 0,
    })
    expect(await releasesOf(given.tom, 'own')).toEqual([])
  })

  it('have only git data and wiki if they are mirrors', async () => {
    await createSource('mirrored')
    await release('mirrored', { tag_name: 'v1' })
    const made = await from('mirrored', { mirror: true, releases: true, issues: true })
    expect(made.json).toMatchObject({ description: '', topics: [], release_counter: 0 })
    expect(made.headers.get('x-ingot-warning')).toBeNull()
  })

  it('have the items of every page, whatever the page size of the other server', async () => {
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
    expect((await given.tom.client.get('/repos/tom/many/releases?limit=1')).headers.get('x-total-count')).toBe('120')
  })

  it('have the files of a server whose root address is unreachable', async () => {
    const renamed = await startServer({ settings: { 'server.root_url': 'http://git.example.test:1' } })
    try {
      const una = await renamed.world.user('una')
      await renamed.world.repo({ owner: una, name: 'app', isPrivate: true, autoInit: true })
      const { id } = (await una.client.post('/repos/una/app/releases', { tag_name: 'v1' })).json
      const headers = {
        authorization: basicAuth(una),
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
          await migrate(given.tom, {
            clone_addr: `${renamed.url}/una/app.git`,
            repo_name: 'renamed',
            service: 'gitea',
            auth_username: 'una',
            auth_password: PASSWORD,
            releases: true,
          })
        ).status,
      ).toBe(201)
      expect(await bytesOf(given.tom, (await releasesOf(given.tom, 'renamed'))[0].assets[0].browser_download_url)).toBe(
        'found',
      )
    } finally {
      await renamed.close()
    }
  })

  it('skip with a warning what this server does not allow', async () => {
    await createSource('warned')
    await release('warned', { tag_name: 'v1' }, { 'large.bin': 2 * 1024 * 1024, 'small.bin': 'x' })
    await sue.client.delete('/repos/sue/warned/tags/v1')
    const made = await from('warned', { releases: true, issues: true, pull_requests: true })
    expect(made.status).toBe(201)
    expect(made.headers.get('x-ingot-warning')).toBe(
      'the file "large.bin" of the release v1 was not imported: the upload is larger than 1048576 bytes',
    )
    expect((await releasesOf(given.tom, 'warned'))[0].assets.map(({ name }: { name: string }) => name)).toEqual([
      'small.bin',
    ])
  })

  it('leave out a file that the service has lost, with a warning', async () => {
    await createSource('torn')
    await release('torn', { tag_name: 'v1' }, { 'a.txt': 'here' })
    await release('torn', { tag_name: 'v0' }, { 'b.txt': 'lost' })
    const { hash } = await row(source, 'attachment', { name: 'b.txt' })
    await source.app.attachmentBlobs.delete(hash)
    const answer = await from('torn', { releases: true })
    expect(answer.status).toBe(201)
    expect(answer.headers.get('x-ingot-warning')).toMatch(
      /^the file "b\.txt" of the release v0 was not imported: the API of the other server answered with status \d+$/,
    )
    const names = (await releasesOf(given.tom, 'torn')).flatMap(({ assets }: { assets: { name: string }[] }) => assets)
    expect(names).toMatchObject([{ name: 'a.txt' }])
  })

  it('fail if the API refuses the credentials', async () => {
    await createSource('closed')
    const token = await sue.token('read:repository')
    await source.app.database.transaction((tx) =>
      tx.updateTable('repo').set({ is_private: 0 }).where('name', '=', 'closed').execute(),
    )
    const wrong = { auth_username: '', auth_password: '', auth_token: altered(token) }
    expect((await from('closed', { ...wrong, releases: true })).json.message).toMatch(/^Authentication failed: /)
  })
})
