import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { git, tempDir, tryGit } from '../core/git/wire/client.ts'
import { oracle } from '../core/git/fixture.ts'
import { expectEvents, lastEventId, row, rows } from '../harness/expect.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { PASSWORD, type Person } from '../harness/world.ts'
import { codeRepo, SMALL, type CodeRepo } from './code-world.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

describe.each(['sha1', 'sha256'] as const)('the wiki of a %s repository', (format) => {
  const dir = tempDir()
  let server: TestServer
  let ann: Person
  let bob: Person
  /** A repository of each test, without a wiki. */
  let code: CodeRepo
  let name: string
  let wiki: string
  let count = 0

  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('ann')
    bob = await server.world.user('bob')
  })
  beforeEach(async () => {
    name = `code${++count}`
    code = await codeRepo(server, ann, { name, format, history: SMALL })
    wiki = `${code.path}/wiki`
  })
  afterAll(async () => {
    await server.close()
    dir.remove()
  })

  const addPage = async (title: string): Promise<void> => {
    const { status } = await ann.client.post(`${wiki}/new`, { title, content_base64: base64(title) })
    expect(status).toBe(201)
  }
  const url = (person?: Person, of = name) =>
    `${server.url.replace('//', person ? `//${person.name}:${encodeURIComponent(PASSWORD)}@` : '//')}/ann/${of}.wiki.git`
  const path = () => server.app.git.path(`${code.repo.storage}.wiki`)
  const refs = (of = name, person?: Person, service = 'git-upload-pack') => {
    const credentials = person && {
      authorization: `Basic ${Buffer.from(`${person.name}:${PASSWORD}`).toString('base64')}`,
    }
    return fetch(`${server.url}/ann/${of}.wiki/info/refs?service=${service}`, {
      redirect: 'manual',
      headers: { ...credentials },
    })
  }

  it('does not exist before its first page', async () => {
    for (const suffix of ['/pages', '/page/Home', '/revisions/Home'])
      expect((await ann.client.get(wiki + suffix)).status).toBe(404)
    expect((await ann.client.delete(`${wiki}/page/Home`)).status).toBe(404)
    expect((await refs()).status).toBe(404)
    expect(await server.app.git.repoExists(`${code.repo.storage}.wiki`)).toBe(false)
  })

  it('is writable by writers only, and hidden with the repository', async () => {
    const secret = await codeRepo(server, ann, { name: 'secret', format, isPrivate: true })
    await ann.client.post(`${secret.path}/wiki/new`, { title: 'Home', content_base64: base64('x') })
    const calls = [
      ['post', '/new', { title: 'X', content_base64: '' }],
      ['patch', '/page/Home', { content_base64: '' }],
      ['delete', '/page/Home', undefined],
    ] as const
    for (const [method, suffix, body] of calls) {
      expect((await server.anonymous[method](wiki + suffix, body)).status).toBe(401)
      expect((await bob.client[method](wiki + suffix, body)).status).toBe(403)
      expect((await bob.client[method](`${secret.path}/wiki${suffix}`, body)).status).toBe(404)
    }
    for (const suffix of ['/pages', '/page/Home', '/revisions/Home'])
      expect((await bob.client.get(`${secret.path}/wiki${suffix}`)).status).toBe(404)
    expect((await refs('secret')).status).toBe(401)
    expect((await refs('secret', bob)).status).toBe(404)
    expect((await refs('secret', ann)).status).toBe(200)
  })

  it('accepts any page title, and finds pages by sub_url and title', async () => {
    for (const [title, subUrl] of [
      ['Home', 'Home'],
      ['Two words', 'Two-words'],
      ['a/b', 'a%2Fb'],
      ['dash-ed page', 'dash-ed+page.-'],
      ['../up', '..%2Fup'],
      ['.git', '.git'],
    ] as const) {
      const made = await ann.client.post(`${wiki}/new`, { title, content_base64: base64(title) })
      expect(made, title).toMatchObject({
        status: 201,
        json: { title, sub_url: subUrl, commit_count: 1, last_commit: { message: `Add "${title}"\n` } },
      })
      expect(
        (await server.anonymous.get(`${wiki}/page/${encodeURIComponent(subUrl)}`)).json.content_base64,
        subUrl,
      ).toBe(base64(title))
      expect((await server.anonymous.get(`${wiki}/page/${encodeURIComponent(title)}`)).json.title, title).toBe(title)
    }
    expect((await server.anonymous.get(`${wiki}/page/home`)).status).toBe(404)
    expect((await server.anonymous.get(`${wiki}/page/Two%20words`)).json.sub_url).toBe('Two%20words')
    expect(oracle(path(), ['fsck', '--strict'])).not.toMatch(/error|missing|broken/)
    expect(oracle(path(), ['ls-tree', '-r', '--name-only', 'main']).split('\n')).toContain('dash-ed page.-.md')
  })

  it('names pages consistently for titles with any URL characters', async () => {
    const titles = ['C++ in a-z', '100 %2B+%20-']
    for (const title of titles) await addPage(title)
    const listed = (await server.anonymous.get(`${wiki}/pages`)).json as { title: string; sub_url: string }[]
    expect(listed.map(({ title }) => title).toSorted()).toEqual(titles.toSorted())
    for (const { title, sub_url: subUrl } of listed) {
      const renamed = `${title} +2`
      const found = async (address: string) =>
        (await server.anonymous.get(`${wiki}/page/${address}`)).json.content_base64 as string
      for (const address of [encodeURIComponent(title), encodeURIComponent(subUrl), subUrl])
        expect(await found(address), address).toBe(base64(title))
      const edited = await ann.client.patch(`${wiki}/page/${subUrl}`, { title: renamed })
      expect(edited).toMatchObject({ status: 200, json: { title: renamed, content_base64: base64(title) } })
      expect((await ann.client.patch(`${wiki}/page/${edited.json.sub_url}`, { content_base64: 'eA==' })).json).toEqual(
        expect.objectContaining({ title: renamed, sub_url: edited.json.sub_url, commit_count: 2 }),
      )
      expect((await ann.client.delete(`${wiki}/page/${encodeURIComponent(renamed)}`)).status, renamed).toBe(204)
    }
    expect((await server.anonymous.get(`${wiki}/pages`)).json).toEqual([])
  })

  it('refuses invalid titles and contents', async () => {
    for (const title of ['Home', 'Two words']) await addPage(title)
    for (const body of [
      {},
      { title: ' ' },
      { title: '_new' },
      { title: 'raw' },
      { title: 'Home' },
      { title: 'x'.repeat(300) },
      { title: 'Bad', content_base64: '%%%' },
    ]) {
      expect((await ann.client.post(`${wiki}/new`, { content_base64: '', ...body })).status, JSON.stringify(body)).toBe(
        400,
      )
    }
    expect((await ann.client.patch(`${wiki}/page/Home`, { title: 'Two words', content_base64: '' })).status).toBe(400)
    expect((await ann.client.patch(`${wiki}/page/Home`, { content_base64: '*' })).status).toBe(400)
  })

  it('renames a page only if the title is present, and lists its commits', async () => {
    expect((await ann.client.get(code.path)).json.has_wiki_contents).toBe(false)
    await addPage('Home')
    expect((await ann.client.get(code.path)).json).toMatchObject({
      has_wiki_contents: true,
      wiki_clone_url: `${server.url}/ann/${name}.wiki.git`,
    })
    const kept = await ann.client.patch(`${wiki}/page/Home`, {
      title: '',
      content_base64: base64('two'),
      message: 'better',
    })
    expect(kept).toMatchObject({
      status: 200,
      json: { title: 'Home', commit_count: 2, last_commit: { message: 'better\n', author: { name: 'ann' } } },
    })
    const revisions = await server.anonymous.get(`${wiki}/revisions/Home`)
    expect([
      revisions.json.count,
      revisions.headers.get('x-total-count'),
      revisions.json.commits.map((commit: { message: string }) => commit.message),
    ]).toEqual([2, '2', ['better\n', 'Add "Home"\n']])
    expect((await server.anonymous.get(`${wiki}/revisions/Home?page=2`)).json.commits).toEqual([])
    const after = await lastEventId(server)
    expect((await ann.client.patch(`${wiki}/page/Home`, { title: 'Start' })).json).toMatchObject({
      sub_url: 'Start',
      content_base64: base64('two'),
    })
    expect((await server.anonymous.get(`${wiki}/page/Home`)).status).toBe(404)
    expect((await ann.client.delete(`${wiki}/page/Start`)).status).toBe(204)
    await expectEvents(server, { repoId: code.repo.id, after }, [
      ['wiki.edited', { page: 'Start' }],
      ['wiki.deleted', { page: 'Start' }],
    ])
  })

  it('loses no page in concurrent writes', async () => {
    await addPage('Home')
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, n) => ann.client.post(`${wiki}/new`, { title: `Many ${n}`, content_base64: '' })),
    )
    expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201, 201, 201])
    const names = (await server.anonymous.get(`${wiki}/pages?limit=50`)).json.map(
      (page: { title: string }) => page.title,
    )
    for (let n = 0; n < 5; n++) expect(names).toContain(`Many ${n}`)
  })

  it('is cloned and pushed by git', async () => {
    await addPage('Home')
    const work = join(dir.path, name)
    await git(dir.path, ['clone', '-q', url(), work])
    writeFileSync(join(work, 'By-git.md'), 'pushed\n')
    writeFileSync(join(work, 'picture.png'), 'x')
    await git(work, ['add', '.'])
    await git(work, ['commit', '-qm', 'by git'])
    expect((await tryGit(work, ['push', '-q', url(bob), 'HEAD'])).code).not.toBe(0)
    expect((await tryGit(work, ['push', '-q', url(ann), 'HEAD:refs/for/main'])).stderr).toContain(
      'not supported on the wiki',
    )
    expect((await tryGit(work, ['push', '-q', url(ann), ':main'])).code).not.toBe(0)
    await git(work, ['push', '-q', url(ann), 'HEAD'])
    expect((await server.anonymous.get(`${wiki}/page/By-git`)).json).toMatchObject({
      title: 'By git',
      content_base64: base64('pushed\n'),
      commit_count: 1,
    })
    expect((await server.anonymous.get(`${wiki}/page/picture.png`)).status).toBe(404)
    const listed = await server.anonymous.get(`${wiki}/pages?limit=50`)
    expect(Number(listed.headers.get('x-total-count'))).toBe(
      oracle(path(), ['ls-tree', '--name-only', 'main']).split('\n').length,
    )
    expect(Number(listed.headers.get('x-total-count'))).toBeGreaterThan(listed.json.length)
    expect((await ann.client.get(code.path)).json.branch_count).toBe(2)
  })

  it('is writable by every signed-in user if configured so, and by no account if archived or disabled', async () => {
    await ann.client.patch(code.path, { globally_editable_wiki: true })
    expect((await server.anonymous.post(`${wiki}/new`, { title: 'Anon', content_base64: '' })).status).toBe(401)
    expect((await bob.client.post(`${wiki}/new`, { title: 'Bob', content_base64: '' })).status).toBe(201)
    expect((await refs(name, bob, 'git-receive-pack')).status).toBe(200)
    await ann.client.patch(code.path, { archived: true })
    expect((await bob.client.post(`${wiki}/new`, { title: 'Late', content_base64: '' })).status).toBe(423)
    expect((await server.anonymous.post(`${wiki}/new`, { title: 'Late', content_base64: '' })).status).toBe(401)
    expect((await server.anonymous.patch(`${wiki}/page/Bob`, {})).status).toBe(423)
    expect((await server.anonymous.delete(`${wiki}/page/Bob`)).status).toBe(423)
    expect((await refs(name, ann, 'git-receive-pack')).status).toBe(403)
    await ann.client.patch(code.path, { archived: false })
    await ann.client.patch(code.path, { has_wiki: false })
    expect((await ann.client.get(`${wiki}/pages`)).status).toBe(404)
    expect((await ann.client.post(`${wiki}/new`, { title: 'Off', content_base64: '' })).status).toBe(404)
    expect((await refs(name, ann)).status).toBe(403)
    expect((await refs()).status).toBe(401)
    await ann.client.patch(code.path, { has_wiki: true })
  })

  it('is renamed and deleted with the repository, and its branch can be renamed', async () => {
    await addPage('Home')
    expect((await ann.client.patch(code.path, { wiki_branch: 'a..b' })).status).toBe(422)
    expect((await ann.client.patch(code.path, { wiki_branch: 'pages' })).json.wiki_branch).toBe('pages')
    expect([oracle(path(), ['symbolic-ref', 'HEAD']), oracle(path(), ['for-each-ref', '--format=%(refname)'])]).toEqual(
      ['refs/heads/pages', 'refs/heads/pages'],
    )
    expect((await ann.client.post(`${wiki}/new`, { title: 'After', content_base64: '' })).status).toBe(201)
    await ann.client.patch(code.path, { name: 'moved' })
    expect((await server.anonymous.get('/repos/ann/moved/wiki/page/After')).status).toBe(200)
    const old = await refs()
    expect([old.status, old.headers.get('location')]).toEqual([
      301,
      '/ann/moved.wiki/info/refs?service=git-upload-pack',
    ])
    await ann.client.delete('/repos/ann/moved')
    await server.drain()
    expect(await server.app.git.repoExists(`${code.repo.storage}.wiki`)).toBe(false)
  })

  it('is created by a push to any branch', async () => {
    const fresh = await codeRepo(server, ann, { name: 'fresh', format })
    const work = join(dir.path, 'fresh')
    await git(dir.path, ['init', '-q', `--object-format=${format}`, '-b', 'trunk', work])
    writeFileSync(join(work, 'Home.md'), 'hi\n')
    await git(work, ['add', '.'])
    await git(work, ['commit', '-qm', 'begin'])
    await git(work, ['push', '-q', url(ann, 'fresh'), 'trunk'])
    expect((await server.anonymous.get(`${fresh.path}/wiki/page/Home`)).json.content_base64).toBe(base64('hi\n'))
    expect((await ann.client.get(fresh.path)).json.wiki_branch).toBe('trunk')
  })
})

describe('access to wiki and code', () => {
  it('is independent of each other', async () => {
    const server = await startServer()
    try {
      const org = await server.world.org('acme')
      const repo = await server.world.repo({
        owner: org.org,
        by: org.owner,
        name: 'both',
        isPrivate: true,
        autoInit: true,
      })
      await org.owner.client.post('/repos/acme/both/wiki/new', { title: 'Home', content_base64: base64('x') })
      const writer = await server.world.user('writer')
      const coder = await server.world.user('coder')
      await org.team('docs', { units: ['repo.wiki'], members: [writer], repos: [repo] })
      await org.team('dev', { units: ['repo.code'], members: [coder], repos: [repo] })
      const status = async (person: Person, name: string) =>
        (
          await fetch(`${server.url}/acme/${name}.git/info/refs?service=git-upload-pack`, {
            headers: { authorization: `Basic ${Buffer.from(`${person.name}:${PASSWORD}`).toString('base64')}` },
          })
        ).status
      expect([
        await status(writer, 'both.wiki'),
        await status(writer, 'both'),
        await status(coder, 'both.wiki'),
        await status(coder, 'both'),
      ]).toEqual([200, 404, 404, 200])
      expect((await coder.client.get('/repos/acme/both/wiki/pages')).status).toBe(404)
    } finally {
      await server.close()
    }
  })
})

describe('the row of a wiki', () => {
  const dir = tempDir()
  let server: TestServer
  let ann: Person
  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('ann')
  })
  afterAll(async () => {
    await server.close()
    dir.remove()
  })

  async function recorded(name: string) {
    const repo = await row(server, 'repo', { lower_name: name })
    const kinds = (await rows(server, 'event', { repo_id: repo.id })).map(({ kind }) => kind)
    return {
      repo,
      kinds: kinds.filter((kind) => kind.startsWith('wiki.')),
      path: server.app.git.path(`${repo.storage}.wiki`),
    }
  }
  const heal = async (): Promise<void> => {
    await server.app.background.schedule.run('check_repo_rows')
    await server.app.background.jobs.drain()
  }

  it('is updated by every page and push', async () => {
    await codeRepo(server, ann, { name: 'one' })
    await ann.client.post('/repos/ann/one/wiki/new', { title: 'Home', content_base64: base64('x') })
    const { repo, path } = await recorded('one')
    expect(repo.wiki_oid).toBe(oracle(path, ['rev-parse', 'main']))
    const work = join(dir.path, 'one')
    await git(dir.path, [
      'clone',
      '-q',
      `${server.url.replace('//', `//ann:${encodeURIComponent(PASSWORD)}@`)}/ann/one.wiki.git`,
      work,
    ])
    await git(work, ['commit', '-q', '--allow-empty', '-m', 'nothing'])
    await git(work, ['push', '-q'])
    expect((await recorded('one')).repo.wiki_oid).toBe(oracle(path, ['rev-parse', 'main']))
    expect(await server.app.wikis.reconcile(repo.id as never)).toBe(false)
  })

  it('is repaired once after a crash', async () => {
    await codeRepo(server, ann, { name: 'two' })
    await ann.client.post('/repos/ann/two/wiki/new', { title: 'Home', content_base64: base64('x') })
    const { path, repo } = await recorded('two')
    oracle(path, [
      'update-ref',
      'refs/heads/main',
      oracle(path, [
        '-c',
        'user.name=x',
        '-c',
        'user.email=x@x',
        'commit-tree',
        'main^{tree}',
        '-p',
        'main',
        '-m',
        'lost',
      ]),
    ])
    oracle(path, ['symbolic-ref', 'HEAD', 'refs/heads/nowhere'])
    expect(await server.app.wikis.inspect(repo.id as never)).toMatchObject({ branch: 'main', isHeadWrong: true })
    await heal()
    await heal()
    const after = await recorded('two')
    expect([after.repo.wiki_oid, after.kinds, oracle(path, ['symbolic-ref', 'HEAD'])]).toEqual([
      oracle(path, ['rev-parse', 'main']),
      ['wiki.created', 'wiki.pushed'],
      'refs/heads/main',
    ])
  })

  it('is repaired after a crash while the branch is renamed', async () => {
    await codeRepo(server, ann, { name: 'three' })
    await ann.client.post('/repos/ann/three/wiki/new', { title: 'Home', content_base64: base64('x') })
    const { path } = await recorded('three')
    oracle(path, ['branch', '-m', 'main', 'pages'])
    await heal()
    expect((await ann.client.get('/repos/ann/three')).json.wiki_branch).toBe('pages')
    expect((await recorded('three')).kinds).toEqual(['wiki.created'])
  })

  it('is repaired for other repositories if one is missing on disk', async () => {
    await codeRepo(server, ann, { name: 'gone' })
    await codeRepo(server, ann, { name: 'later' })
    await ann.client.post('/repos/ann/later/wiki/new', { title: 'Home', content_base64: base64('x') })
    const gone = await recorded('gone')
    rmSync(server.app.git.path(gone.repo.storage), { recursive: true })
    const later = await recorded('later')
    oracle(later.path, ['symbolic-ref', 'HEAD', 'refs/heads/nowhere'])
    await heal()
    expect(oracle(later.path, ['symbolic-ref', 'HEAD'])).toBe('refs/heads/main')
  })
})
